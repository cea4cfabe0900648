-- tier: all
-- One row: totals of the marts, including events with a fast clock, which skewed_events counts.
CREATE VIEW IF NOT EXISTS dm.v_totals AS
WITH
    event AS
    (
        SELECT
            count() AS page_events,
            countIf(event_type = 'purchase') AS purchases,
            countIf(has(event_markers, 'skewed_clock')) AS skewed_events
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
    event.skewed_events AS skewed_events,
    visit.sessions AS sessions,
    visit.visitors AS visitors,
    visit.registered_sessions AS registered_sessions,
    visit.purchase_sessions AS purchase_sessions
FROM event
CROSS JOIN visit;
