-- tier: all
CREATE VIEW IF NOT EXISTS dm.v_totals
    COMMENT 'One row: totals of the marts, including events with a fast clock, which skewed_events counts.'
AS
WITH
    event AS
    (
        SELECT
            countIf(event_type IN ('pageview', 'purchase')) AS page_events,
            countIf(event_type = 'purchase') AS purchases,
            ifNull(sumIf(order_value, event_type = 'purchase'), 0) AS revenue,
            ifNull(sumIf(order_value, event_type = 'refund'), 0) AS refunds,
            countIf(event_type IN ('pageview', 'purchase') AND has(event_markers, 'skewed_clock')) AS skewed_events
        FROM dm.event_enriched
    ),
    visit AS
    (
        SELECT
            count() AS sessions,
            uniqExact(user_custom_id) AS visitors,
            countIf(is_registered) AS registered_sessions,
            countIf(has_purchase) AS purchase_sessions
        FROM dm.session
    )
SELECT
    event.page_events AS page_events,
    event.purchases AS purchases,
    event.revenue AS revenue,
    event.refunds AS refunds,
    event.revenue - event.refunds AS net_revenue,
    event.skewed_events AS skewed_events,
    visit.sessions AS sessions,
    visit.visitors AS visitors,
    visit.registered_sessions AS registered_sessions,
    visit.purchase_sessions AS purchase_sessions
FROM event
CROSS JOIN visit;

ALTER TABLE dm.v_totals
    COMMENT COLUMN skewed_events 'Page events with a clock that is ahead; in totals, but not in counts per day or hour';
