-- Counts the sessions of each outcome, and hits. A visitor's sessions resemble each other, so a row has at
-- most one session of a visitor; starts of sessions are independent.
TRUNCATE TABLE dm_internal.work_outcome;

INSERT INTO dm_internal.work_outcome (window_from, counted, measure, dimension, segment, sessions, hits, divisor, amount, amount_2, mixed, divisor_2)
WITH
    (SELECT (min(history_from), max(history_until)) FROM dm_internal.work_effect) AS history,
    (SELECT groupUniqArray((window_from, window_until)) FROM dm_internal.work_effect) AS windows,
    page AS
    (
        SELECT
            click_id,
            arraySort(groupArray((event_timestamp, _offset, page_url_path))) AS steps,
            max(extract(page_url, '[?&]exp=\\w+\\.(\\w+)')) AS variant,
            any(browser_name) AS browser_name,
            any(browser_user_agent) AS agent,
            extract(agent, '(?:Edg|SamsungBrowser|Firefox|Version)/(\\d+)') AS own_version,
            concat(browser_name, ' ', if(own_version != '', own_version, extract(agent, 'Chrome/(\\d+)'))) AS browser
        FROM dm.event_enriched
        WHERE event_type IN ('pageview', 'purchase')
            AND NOT has(event_markers, 'skewed_clock')
            -- A session is shorter than a day.
            AND event_timestamp >= history.1 AND event_timestamp < history.2 + INTERVAL 1 DAY
        GROUP BY click_id
    ),
    visit AS
    (
        SELECT
            click_id,
            device_type,
            geo_country,
            utm_campaign,
            if(utm_medium != '', utm_medium, referer_medium) AS medium,
            is_bounce,
            has_purchase,
            purchases,
            toInt128(revenue * 10000) AS cents,
            user_custom_id,
            is_registered,
            started_at,
            row_number() OVER visitor AS number,
            first_value(medium) OVER visitor AS first_medium
        FROM dm.session
        WHERE user_custom_id IS NOT NULL AND clock = 'right'
            AND started_at >= history.1 AND started_at < history.2
        WINDOW visitor AS (PARTITION BY user_custom_id ORDER BY session_number)
    ),
    chosen AS
    (
        SELECT
            arrayJoin(arrayFilter(span -> started_at >= span.1 AND started_at < span.2, windows)).1 AS window_from,
            if(number = 1, 'first', 'second') AS counted,
            arrayJoin([
                ('all', 'all'),
                ('device', device_type),
                ('medium', medium),
                ('campaign', utm_campaign),
                ('country', geo_country),
                ('variant', variant),
                ('browser', browser),
                ('first_medium', first_medium)]) AS part,
            arrayMap(step -> step.3, steps) AS pages,
            pages[1] = '/home' AS lands_on_home,
            has(pages, '/cart') AS has_cart,
            has(pages, '/payment') AS has_payment,
            arrayJoin([
                ('purchase', true, has_purchase),
                ('bounce', true, is_bounce),
                ('cart', true, has_cart),
                ('payment', has_cart, has_payment),
                ('confirmation', has_payment, has_purchase),
                ('home', pages[1] != '', lands_on_home),
                ('product_a', lands_on_home AND pages[2] IN ('/product_a', '/product_b'), pages[2] = '/product_a'),
                ('long_stay', lands_on_home AND NOT is_bounce, steps[2].1 > steps[1].1 + toIntervalSecond({long_stay_seconds:UInt32})),
                ('direct', true, medium = 'direct')]) AS outcome
        FROM visit
        INNER JOIN page ON visit.click_id = page.click_id
        WHERE number <= 2
    ),
    money AS
    (
        SELECT
            arrayJoin(arrayFilter(span -> started_at >= span.1 AND started_at < span.2, windows)).1 AS window_from,
            arrayJoin([('all', 'all'), ('variant', variant)]) AS part,
            arrayJoin([('revenue', 1), ('order_value', purchases)]) AS divided,
            toInt128(divided.2) AS by,
            cents
        FROM visit
        INNER JOIN page ON visit.click_id = page.click_id
        WHERE number = 1
    ),
    -- The first stay on each page that another page follows.
    stay AS
    (
        SELECT
            arrayJoin(arrayFilter(span -> started_at >= span.1 AND started_at < span.2, windows)).1 AS window_from,
            arrayMap(step -> step.3, steps) AS pages,
            arrayJoin(arrayFilter(
                (place, nth) -> nth = 1 AND place < length(pages),
                arrayEnumerate(pages),
                arrayEnumerateUniq(pages))) AS place,
            pages[place] AS segment,
            steps[place + 1].1 > steps[place].1 + toIntervalSecond({long_stay_seconds:UInt32}) AS is_long
        FROM visit
        INNER JOIN page ON visit.click_id = page.click_id
        WHERE number = 1
    ),
    -- A visitor counts if the time for a return is in the history.
    first_session AS
    (
        SELECT
            arrayJoin([('all', 'all'), ('account', if(is_registered, 'registered', 'anonymous'))]) AS part,
            started_at + toIntervalDay({return_days:UInt32}) AS return_until,
            next_start <= return_until AS returns
        FROM
        (
            SELECT
                number,
                is_registered,
                started_at,
                leadInFrame(started_at, 1, assumeNotNull(history.2)) OVER ordered AS next_start
            FROM visit
            WINDOW ordered AS (PARTITION BY user_custom_id ORDER BY number ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
        )
        WHERE number = 1 AND return_until < history.2
    )
SELECT
    window_from,
    counted,
    outcome.1 AS measure,
    part.1 AS dimension,
    part.2 AS segment,
    count() AS sessions,
    countIf(outcome.3) AS hits,
    0, 0, 0, 0, 0
FROM chosen
WHERE outcome.2
GROUP BY ALL
UNION ALL
SELECT
    history.1 AS window_from,
    'any' AS counted,
    'start' AS measure,
    'weekday' AS dimension,
    ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'][toDayOfWeek(started_at)] AS segment,
    sum(count()) OVER () AS sessions,
    count() AS hits,
    0, 0, 0, 0, 0
FROM visit
GROUP BY segment
UNION ALL
SELECT window_from, 'first' AS counted, 'stay' AS measure, 'page' AS dimension, segment, count() AS sessions, countIf(is_long) AS hits, 0, 0, 0, 0, 0
FROM stay
GROUP BY window_from, segment
UNION ALL
SELECT
    history.1 AS window_from,
    'first' AS counted,
    'return' AS measure,
    part.1 AS dimension,
    part.2 AS segment,
    count() AS sessions,
    countIf(returns) AS hits,
    0, 0, 0, 0, 0
FROM first_session
GROUP BY part
UNION ALL
SELECT
    window_from,
    'first' AS counted,
    divided.1 AS measure,
    part.1 AS dimension,
    part.2 AS segment,
    countIf(by > 0) AS sessions,
    0 AS hits,
    sum(by),
    sum(cents),
    sum(cents * cents),
    sum(cents * by),
    sum(by * by)
FROM money
GROUP BY window_from, measure, dimension, segment
HAVING sessions > 0
-- Spills to disk, because the pages of a long history exceed memory.
SETTINGS
    join_algorithm = 'grace_hash',
    grace_hash_join_initial_buckets = 16,
    max_bytes_in_join = 500000000,
    max_bytes_before_external_group_by = 500000000,
    max_bytes_before_external_sort = 500000000;
