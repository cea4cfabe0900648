-- tier: all
-- One row per day a session began and source: sessions, page events and purchases.
CREATE VIEW IF NOT EXISTS dm.v_sources AS
SELECT
    session_date,
    referer_medium,
    utm_medium,
    utm_source,
    utm_campaign,
    count() AS visits,
    sum(session.page_events) AS page_events,
    countIf(has_purchase) AS purchases
FROM dm.session
GROUP BY session_date, referer_medium, utm_medium, utm_source, utm_campaign;
