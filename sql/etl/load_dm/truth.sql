-- Puts each published effect beside its estimate. An effect whose segment has no session has no row.
-- Interval of a mean of money: normal. Of a share: E. B. Wilson, J. Amer. Statist. Assoc. 22 (1927). Of a difference: R. G. Newcombe, Statistics in
-- Medicine 17 (1998), method 10.
TRUNCATE TABLE dm_internal.truth_build;

INSERT INTO dm_internal.truth_build (position, effect, segment, truth, estimate, low, high, sessions, verdict)
WITH
    -- Quantile of the normal distribution for 95 %, two-sided.
    1.959963984540054 AS z,
    score AS
    (
        SELECT
            *,
            measure IN ('revenue', 'order_value') AS is_money,
            amount / divisor AS ratio,
            -- The error of a quotient of two sums, in its first approximation.
            z * sqrt(greatest(0, amount_2 - 2 * ratio * mixed + ratio * ratio * divisor_2)) / divisor AS error,
            hits / sessions AS rate,
            z * z / sessions AS square,
            sqrt(square * (rate * (1 - rate) + square / 4)) AS half,
            if(is_money, ratio / 10000, rate) AS share,
            if(is_money, (ratio - error) / 10000, greatest(0, (rate + square / 2 - half) / (1 + square))) AS low,
            if(is_money, (ratio + error) / 10000, least(1, (rate + square / 2 + half) / (1 + square))) AS high
        FROM dm_internal.work_outcome
    )
SELECT
    effect.position,
    concat(
        effect.counted,
        ' ',
        map(
            'purchase', 'sessions with a purchase',
            'bounce', 'sessions with one page event',
            'cart', 'sessions with the cart',
            'payment', 'sessions with the cart with the payment page',
            'confirmation', 'sessions with the payment page with a purchase',
            'home', 'sessions that land on /home',
            'product_a', 'sessions from /home to a product to /product_a',
            'long_stay', concat('sessions that land on /home and go on after more than ', toString({long_stay_seconds:UInt32}), ' s'),
            'stay', concat('sessions that go on from a page after more than ', toString({long_stay_seconds:UInt32}), ' s'),
            'direct', 'sessions that come directly',
            'return', concat('sessions with another one of the visitor within ', toString({return_days:UInt32}), ' d'),
            'start', 'sessions that begin on the day',
            'revenue', 'sessions: revenue of a visitor',
            'order_value', 'sessions: value of an order')[effect.measure],
        if(effect.dimension = 'all', '', concat(', by ', replaceAll(effect.dimension, '_', ' '))),
        if(
            effect.window_from = effect.history_from AND effect.window_until = effect.history_until,
            '',
            concat(' from ', left(toString(effect.window_from), 16), ' until ', left(toString(effect.window_until), 16)))),
    if(effect.minus = '', effect.segment, concat(effect.segment, ' − ', effect.minus)),
    effect.truth,
    if(effect.minus = '', own.share, own.share - other.share) AS estimate,
    if(effect.minus = '', own.low, estimate - hypot(own.share - own.low, other.high - other.share)) AS low,
    if(effect.minus = '', own.high, estimate + hypot(own.high - own.share, other.share - other.low)) AS high,
    if(effect.minus = '', own.sessions, own.sessions + other.sessions),
    if(effect.truth BETWEEN low AND high, 'inside', 'outside')
FROM dm_internal.work_effect AS effect
INNER JOIN score AS own
    ON own.window_from = effect.window_from
    AND own.counted = effect.counted
    AND own.measure = effect.measure
    AND own.dimension = effect.dimension
    AND own.segment = effect.segment
LEFT JOIN score AS other
    ON other.window_from = effect.window_from
    AND other.counted = effect.counted
    AND other.measure = effect.measure
    AND other.dimension = effect.dimension
    AND other.segment = effect.minus
WHERE effect.minus = '' OR other.sessions > 0;

EXCHANGE TABLES dm.truth AND dm_internal.truth_build;
