-- tier: all
CREATE VIEW IF NOT EXISTS dm.v_attribution
    COMMENT 'One row per site and channel, with purchases by three models: first touch, last touch and linear. A session without a session_number is its own first and last touch. Each model distributes all purchases.'
AS
SELECT
    site,
    channel,
    toUInt64(sumIf(purchases_so_far, is_first)) AS first_touch_purchases,
    sum(session_purchases) AS last_touch_purchases,
    sum(linear_part) AS linear_purchases
FROM
(
    SELECT
        site,
        channel,
        session.purchases AS session_purchases,
        session_number = 1 AS is_first,
        -- From the last session back: the purchases that a session precedes, or made itself.
        sum(session.purchases) OVER later AS purchases_so_far,
        sum(session.purchases / session_number) OVER later AS linear_part
    FROM dm.session AS session
    WHERE session_number IS NOT NULL
    WINDOW later AS (PARTITION BY user_custom_id ORDER BY session_number DESC ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
    UNION ALL
    SELECT site, channel, purchases, true, purchases, purchases
    FROM dm.session
    WHERE session_number IS NULL
)
GROUP BY site, channel;

ALTER TABLE dm.v_attribution
    COMMENT COLUMN first_touch_purchases 'Purchases of visitors whose first session came through the channel',
    COMMENT COLUMN last_touch_purchases 'Purchases in sessions that came through the channel',
    COMMENT COLUMN linear_purchases 'Purchases, divided equally among the sessions of the visitor up to the one with the purchase';
