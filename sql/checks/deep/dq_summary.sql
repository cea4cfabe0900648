-- Expected rows of dm.dq_summary, counted from the tables. Of ods, counts rows loaded when the summary was
-- computed.
WITH
    counted_load AS
    (
        SELECT load_id FROM ods.load_commit
        WHERE committed_at <= (SELECT max(committed_at) FROM dm_internal.load_commit WHERE target = 'dq_summary')
    ),
    message AS
    (
        SELECT 'browser_event' AS entity, true AS is_typed, false AS is_marked, markers, load_id FROM ods.browser_event
        UNION ALL
        SELECT 'browser_event', is_typed, true, markers, load_id FROM ods.browser_event_errors
        UNION ALL
        SELECT 'location_event', true, false, markers, load_id FROM ods.location_event
        UNION ALL
        SELECT 'location_event', is_typed, true, markers, load_id FROM ods.location_event_errors
        UNION ALL
        SELECT 'device_event', true, false, markers, load_id FROM ods.device_event
        UNION ALL
        SELECT 'device_event', is_typed, true, markers, load_id FROM ods.device_event_errors
        UNION ALL
        SELECT 'geo_event', true, false, markers, load_id FROM ods.geo_event
        UNION ALL
        SELECT 'geo_event', is_typed, true, markers, load_id FROM ods.geo_event_errors
    )
SELECT layer, entity, metric, toUInt64(value) AS value, true AS is_computed_at_once
FROM
(
    SELECT 'ods' AS layer, entity, metric, countIf(is_counted) AS value
    FROM
    (
        SELECT entity, 'typed' AS metric, NOT is_marked AS is_counted FROM message WHERE load_id IN counted_load
        UNION ALL
        SELECT entity, 'rejected', is_marked AND NOT is_typed FROM message WHERE load_id IN counted_load
        UNION ALL
        SELECT entity, arrayJoin(markers), true FROM message WHERE is_marked AND load_id IN counted_load
        UNION ALL
        SELECT
            arrayJoin(['browser_event', 'location_event', 'device_event', 'geo_event']),
            arrayJoin(['typed', 'rejected']),
            false
    )
    GROUP BY entity, metric
    UNION ALL
    SELECT 'dds', 'event', 'rows', count() FROM dds.event
    UNION ALL
    SELECT 'dds', 'event', 'duplicates', sum(duplicates) FROM dds.event
    UNION ALL
    SELECT 'dds', 'event', 'superseded', sum(superseded) FROM dds.event
    UNION ALL
    SELECT 'dds', 'event', 'orphan_events', countIf(click_id NOT IN (SELECT click_id FROM dds.click)) FROM dds.event
    UNION ALL
    SELECT 'dds', 'event', arrayJoin(markers) AS marker, count() FROM dds.event GROUP BY marker
    UNION ALL
    SELECT 'dds', 'click', 'rows', count() FROM dds.click
    UNION ALL
    SELECT 'dds', 'click', arrayJoin(markers) AS marker, count() FROM dds.click GROUP BY marker
    UNION ALL
    SELECT 'dm', 'event_enriched', 'rows', count() FROM dm.event_enriched
    UNION ALL
    SELECT 'dm', 'session', 'rows', count() FROM dm.session
    UNION ALL
    SELECT 'dm', 'visitor', 'rows', count() FROM dm.visitor
    UNION ALL
    SELECT 'dm', 'page_view', 'rows', count() FROM dm.page_view
);
