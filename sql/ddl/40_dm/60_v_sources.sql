-- tier: all
CREATE VIEW IF NOT EXISTS dm.v_sources
    COMMENT 'One row per start date of sessions, site, source and clock.'
AS
SELECT
    session_date,
    site,
    referer_medium,
    utm_medium,
    utm_source,
    utm_campaign,
    clock,
    count() AS sessions,
    sum(session.page_events) AS page_events,
    sum(session.purchases) AS purchases,
    sum(session.revenue) AS revenue,
    sum(session.refunds) AS refunds,
    sum(session.net_revenue) AS net_revenue,
    countIf(has_purchase) AS purchase_sessions
FROM dm.session
GROUP BY session_date, site, referer_medium, utm_medium, utm_source, utm_campaign, clock;
