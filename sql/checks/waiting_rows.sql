-- Messages per stream that dds lacks, and rows of dds that dm lacks. step: the step that loads them.
-- oldest_seconds: age of the oldest one, since stg stored it or, for dm, since dds was committed.
WITH
    committed AS (SELECT load_id FROM ods.load_commit),
    {dds_load:UInt64} AS integrated,
    {event_enriched_load:UInt64} AS enriched,
    {session_load:UInt64} AS summed_up,
    {visitor_load:UInt64} AS visited,
    {dq_summary_load:UInt64} AS summarised,
    typed AS
    (
        SELECT 'browser' AS stream, ingested_at FROM ods.browser_event
        WHERE load_id > integrated AND load_id IN committed
        UNION ALL
        SELECT 'location', ingested_at FROM ods.location_event
        WHERE load_id > integrated AND load_id IN committed
        UNION ALL
        SELECT 'device', ingested_at FROM ods.device_event
        WHERE load_id > integrated AND load_id IN committed
        UNION ALL
        SELECT 'geo', ingested_at FROM ods.geo_event
        WHERE load_id > integrated AND load_id IN committed
    ),
    joined AS
    (
        SELECT load_id FROM dds.event
        WHERE load_id > least(enriched, summed_up, visited, summarised) AND load_id <= integrated
        UNION ALL
        SELECT load_id FROM dds.click
        WHERE load_id > least(enriched, summed_up, visited, summarised) AND load_id <= integrated
    ),
    step AS
    (
        SELECT arrayJoin([('load_dm_events', enriched), ('load_dm_sessions', summed_up), ('load_dm_visitors', visited), ('load_dm_summary', summarised)]) AS shown
    )
SELECT layer, stream, step, count, oldest_seconds
FROM
(
    SELECT 'dds' AS layer, stream, 'load_dds' AS step, count() AS count,
        dateDiff('second', min(ingested_at), now64(6, 'UTC')) AS oldest_seconds
    FROM typed
    GROUP BY stream
    UNION ALL
    SELECT 'dm' AS layer, 'browser' AS stream, shown.1 AS step, count() AS count,
        dateDiff('second', min(committed_at), now64(6, 'UTC')) AS oldest_seconds
    FROM joined
    CROSS JOIN step
    INNER JOIN (SELECT load_id, min(committed_at) AS committed_at FROM dds.load_commit GROUP BY load_id) AS taken
        ON joined.load_id = taken.load_id
    WHERE joined.load_id > shown.2
    GROUP BY step
)
ORDER BY layer, stream, step;
