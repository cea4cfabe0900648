-- Messages per stream that dds lacks, and browser messages that dm lacks. step: the step that loads them; loads: the
-- last load of each step of dm.
-- oldest_seconds: age of the oldest one, since stg stored it or, for dm, since dds was committed.
WITH
    committed AS (SELECT load_id FROM ods.load_commit),
    {dds_load:UInt64} AS integrated,
    {loads:Map(String, UInt64)} AS loads,
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
    step AS
    (
        SELECT id, last_load, min(committed_at) AS waiting_since
        FROM (SELECT arrayJoin(mapKeys(loads)) AS id, loads[id] AS last_load) AS steps
        CROSS JOIN dds.load_commit
        WHERE load_id > last_load
        GROUP BY id, last_load
    )
SELECT layer, stream, step, count, oldest_seconds
FROM
(
    SELECT 'dds' AS layer, stream, 'load_dds' AS step, count() AS count,
        dateDiff('second', min(ingested_at), now64(6, 'UTC')) AS oldest_seconds
    FROM typed
    GROUP BY stream
    UNION ALL
    SELECT 'dm' AS layer, 'browser' AS stream, step.id AS step, count() AS count,
        dateDiff('second', any(waiting_since), now64(6, 'UTC')) AS oldest_seconds
    FROM ods.browser_event AS message
    CROSS JOIN step
    WHERE message.load_id > step.last_load AND message.load_id <= integrated AND message.load_id IN committed
    GROUP BY step.id
)
ORDER BY layer, stream, step;
