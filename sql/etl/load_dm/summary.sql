-- Counts the rows and markers of every layer, and finds which hours and days are complete.
TRUNCATE TABLE dm_internal.dq_summary_build;

INSERT INTO dm_internal.dq_summary_build (layer, entity, metric, value)
SELECT 'stg' AS layer, 'raw' AS entity, 'rows' AS metric, count() AS value FROM stg.raw
UNION ALL
SELECT 'ods' AS layer, 'browser_event' AS entity, 'typed' AS metric, count() AS value FROM ods.browser_event
UNION ALL
SELECT 'ods', 'browser_event', 'rejected', countIf(NOT is_typed) FROM ods.browser_event_errors
UNION ALL
SELECT 'ods', 'browser_event', arrayJoin(markers) AS marker, count() FROM ods.browser_event_errors GROUP BY marker
UNION ALL
SELECT 'ods' AS layer, 'location_event' AS entity, 'typed' AS metric, count() AS value FROM ods.location_event
UNION ALL
SELECT 'ods', 'location_event', 'rejected', countIf(NOT is_typed) FROM ods.location_event_errors
UNION ALL
SELECT 'ods', 'location_event', arrayJoin(markers) AS marker, count() FROM ods.location_event_errors GROUP BY marker
UNION ALL
SELECT 'ods' AS layer, 'device_event' AS entity, 'typed' AS metric, count() AS value FROM ods.device_event
UNION ALL
SELECT 'ods', 'device_event', 'rejected', countIf(NOT is_typed) FROM ods.device_event_errors
UNION ALL
SELECT 'ods', 'device_event', arrayJoin(markers) AS marker, count() FROM ods.device_event_errors GROUP BY marker
UNION ALL
SELECT 'ods' AS layer, 'geo_event' AS entity, 'typed' AS metric, count() AS value FROM ods.geo_event
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
SELECT 'dm', 'page_view', 'rows', count() FROM dm.page_view;

TRUNCATE TABLE dm_internal.complete_period_build;

-- Without events of a clock that is ahead. An hour is whole if its first and last minute have an event. A day is complete once the next one has an
-- event, or every history of the latest epoch ends after it. Earlier epochs get no more events.
INSERT INTO dm_internal.complete_period_build (whole_hours_from, whole_hours_until, last_complete_day)
WITH
    (
        SELECT min(parseDateTime64BestEffortOrZero(JSONExtractString(manifest, 't_end'), 6, 'UTC'))
        FROM stg.manifest FINAL
        WHERE epoch = (SELECT max(epoch) FROM stg.epoch)
    ) AS finished_until,
    -- The minimum is 1970-01-01: dates have no earlier day.
    greatest(toDate(newest, 'UTC'), toDate('1970-01-02')) AS newest_day,
    greatest(toDate(finished_until, 'UTC'), toDate('1970-01-02')) - 1 AS finished_day
SELECT
    toStartOfHour(oldest + INTERVAL 59 MINUTE, 'UTC'),
    toStartOfHour(newest + INTERVAL 1 MINUTE, 'UTC'),
    greatest(newest_day - 1, least(newest_day, finished_day))
FROM
(
    SELECT
        min(event_timestamp) AS oldest,
        max(event_timestamp) AS newest
    FROM dm.event_enriched
    WHERE NOT has(event_markers, 'skewed_clock')
);

EXCHANGE TABLES dm.dq_summary AND dm_internal.dq_summary_build;

EXCHANGE TABLES dm.complete_period AND dm_internal.complete_period_build;

-- Fails under a newer lease: another run has taken over.
INSERT INTO dm_internal.load_commit (target, load_id, lease_id)
SELECT 'dq_summary', (SELECT max(load_id) FROM dds.load_commit), {lease_id:UInt64}
WHERE NOT throwIf((SELECT max(id) FROM stg.lease) > {lease_id:UInt64}, 'a newer lease is recorded in stg.lease');

-- After the commit, so that the log has no state of a load that was overtaken.
INSERT INTO dm.dq_summary_log (lease_id, layer, entity, metric, value, computed_at)
SELECT {lease_id:UInt64}, layer, entity, metric, value, computed_at
FROM dm.dq_summary;
