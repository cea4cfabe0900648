-- One row: totals of the dm layer.
SELECT
    (SELECT count() FROM dm.event_enriched) AS page_events,
    (SELECT count() FROM dm.session) AS visits,
    (SELECT uniqExactIf(user_custom_id, user_custom_id != '') FROM dm.session) AS visitors,
    (SELECT countIf(is_registered) FROM dm.session) AS registered_visits,
    (SELECT countIf(has_purchase) FROM dm.session) AS purchase_visits,
    (SELECT countIf(has(event_markers, 'skewed_clock')) FROM dm.event_enriched) AS skewed_events;
