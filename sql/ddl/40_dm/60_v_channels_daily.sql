-- tier: all
CREATE VIEW IF NOT EXISTS dm.v_channels_daily
    COMMENT 'One row per start date of sessions, site and channel. Excludes sessions with a skewed clock: their day is unknown.'
AS
SELECT
    session_date,
    site,
    channel,
    count() AS sessions,
    uniqExact(user_custom_id) AS visitors,
    countIf(is_bounce) AS bounces,
    sum(session.page_events) AS page_events,
    sum(session.purchases) AS purchases,
    sum(session.revenue) AS revenue,
    sum(session.refunds) AS refunds,
    sum(session.net_revenue) AS net_revenue,
    countIf(has_purchase) AS purchase_sessions,
    avg(is_bounce) AS bounce_rate,
    avg(has_purchase) AS conversion
FROM dm.session
WHERE clock = 'right'
GROUP BY session_date, site, channel;

ALTER TABLE dm.v_channels_daily
    COMMENT COLUMN bounce_rate 'Share of sessions with a single page event',
    COMMENT COLUMN conversion 'Share of sessions with a purchase';
