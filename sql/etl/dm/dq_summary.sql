-- One row per layer, entity and metric. Expired messages count as before.
SELECT layer, entity, metric, value, now64(6, 'UTC') AS computed_at
FROM
(
    SELECT 'stg' AS layer, 'raw' AS entity, 'rows' AS metric, count() AS value FROM stg.raw
    UNION ALL
    SELECT 'ods' AS layer, 'browser_event' AS entity, 'typed' AS metric, count() + (SELECT countIf(is_typed AND has(markers, 'expired')) FROM ods.browser_event_errors) AS value FROM ods.browser_event
    UNION ALL
    SELECT 'ods', 'browser_event', 'rejected', countIf(NOT is_typed) FROM ods.browser_event_errors
    UNION ALL
    SELECT 'ods', 'browser_event', arrayJoin(markers) AS marker, count() FROM ods.browser_event_errors GROUP BY marker
    UNION ALL
    SELECT 'ods' AS layer, 'location_event' AS entity, 'typed' AS metric, count() + (SELECT countIf(is_typed AND has(markers, 'expired')) FROM ods.location_event_errors) AS value FROM ods.location_event
    UNION ALL
    SELECT 'ods', 'location_event', 'rejected', countIf(NOT is_typed) FROM ods.location_event_errors
    UNION ALL
    SELECT 'ods', 'location_event', arrayJoin(markers) AS marker, count() FROM ods.location_event_errors GROUP BY marker
    UNION ALL
    SELECT 'ods' AS layer, 'device_event' AS entity, 'typed' AS metric, count() + (SELECT countIf(is_typed AND has(markers, 'expired')) FROM ods.device_event_errors) AS value FROM ods.device_event
    UNION ALL
    SELECT 'ods', 'device_event', 'rejected', countIf(NOT is_typed) FROM ods.device_event_errors
    UNION ALL
    SELECT 'ods', 'device_event', arrayJoin(markers) AS marker, count() FROM ods.device_event_errors GROUP BY marker
    UNION ALL
    SELECT 'ods' AS layer, 'geo_event' AS entity, 'typed' AS metric, count() + (SELECT countIf(is_typed AND has(markers, 'expired')) FROM ods.geo_event_errors) AS value FROM ods.geo_event
    UNION ALL
    SELECT 'ods', 'geo_event', 'rejected', countIf(NOT is_typed) FROM ods.geo_event_errors
    UNION ALL
    SELECT 'ods', 'geo_event', arrayJoin(markers) AS marker, count() FROM ods.geo_event_errors GROUP BY marker
    UNION ALL
    SELECT 'dds', 'event', counted.1, counted.2
    FROM (SELECT count() AS rows, sum(duplicates) AS duplicates, sum(superseded) AS superseded FROM dds.event)
    ARRAY JOIN [('rows', rows), ('duplicates', duplicates), ('superseded', superseded)] AS counted
    UNION ALL
    SELECT 'dds', 'event', arrayJoin(markers) AS marker, count() FROM dds.event WHERE notEmpty(markers) GROUP BY marker
    UNION ALL
    SELECT 'dds', 'event', 'orphan_events', argMax(orphan_events, checked_at) FROM dds.integrity_check
    UNION ALL
    SELECT 'dds', 'click', 'rows', count() FROM dds.click
    UNION ALL
    SELECT 'dds', 'click', arrayJoin(markers) AS marker, count() FROM dds.click WHERE notEmpty(markers) GROUP BY marker
    UNION ALL
    SELECT 'dm', 'event_enriched', 'rows', count() FROM dm.event_enriched
    UNION ALL
    SELECT 'dm', 'session', 'rows', count() FROM dm.session
    UNION ALL
    SELECT 'dm', 'visitor', 'rows', count() FROM dm.visitor
    UNION ALL
    SELECT 'dm', 'page_view', 'rows', count() FROM dm.page_view
);
