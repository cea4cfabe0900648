-- tier: all
CREATE VIEW IF NOT EXISTS dm.v_totals
    COMMENT 'One row per site: totals of the marts, with events of skewed clocks.'
AS
WITH
    event AS
    (
        SELECT
            site,
            countIf(event_type IN ('pageview', 'purchase')) AS page_events,
            countIf(event_type = 'purchase') AS purchases,
            ifNull(sumIf(order_value, event_type = 'purchase'), 0) AS revenue,
            ifNull(sumIf(order_value, event_type = 'refund'), 0) AS refunds,
            revenue - refunds AS net_revenue,
            countIf(event_type IN ('pageview', 'purchase') AND has(event_markers, 'skewed_clock')) AS skewed_events
        FROM dm.event_enriched
        GROUP BY site
    ),
    visit AS
    (
        SELECT
            site,
            count() AS sessions,
            uniqExact(user_custom_id) AS visitors,
            countIf(is_registered) AS registered_sessions,
            countIf(has_purchase) AS purchase_sessions
        FROM dm.session
        GROUP BY site
    )
SELECT event.*, visit.* EXCEPT site
FROM event
LEFT JOIN visit ON event.site = visit.site;

ALTER TABLE dm.v_totals
    COMMENT COLUMN skewed_events 'Page events with a skewed clock; in totals, but not in counts per day or hour';
