-- tier: all
CREATE VIEW IF NOT EXISTS dm.v_channels
    COMMENT 'One row per start date of sessions, site, channel and clock.'
AS
SELECT
    session_date,
    site,
    channel,
    clock,
    count() AS sessions,
    countIf(is_bounce) AS bounces,
    sum(session.page_events) AS page_events,
    sum(session.purchases) AS purchases,
    sum(session.revenue) AS revenue,
    sum(session.refunds) AS refunds,
    sum(session.net_revenue) AS net_revenue,
    countIf(has_purchase) AS purchase_sessions
FROM dm.session
GROUP BY session_date, site, channel, clock;

ALTER TABLE dm.v_channels
    COMMENT COLUMN bounces 'Sessions with a single page event';
