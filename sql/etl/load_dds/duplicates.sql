-- Decides duplicates: of all messages with one id, the first of the latest epoch wins (lowest partition, then
-- offset). Others of that epoch count as duplicates, those of earlier epochs as superseded.
-- A redelivered message (same offset) is no duplicate: `stg` replaces it.
-- Candidates: ids that occur twice in this load, and ids of older messages (dds.work_touched).
INSERT INTO dds.work_repeated
SELECT
    stream,
    id,
    -winner.1 AS epoch,
    winner.2 AS _partition,
    winner.3 AS _offset,
    countEqual(epochs, winner.1) - 1 AS duplicates,
    length(epochs) - duplicates - 1 AS superseded
FROM
(
    SELECT
        'browser' AS stream,
        event_id AS id,
        min((-toInt64(epoch), _partition, _offset)) AS winner,
        groupArray(-toInt64(epoch)) AS epochs
    FROM dds.browser_candidate
    WHERE event_id IN
    (
        SELECT event_id FROM ods.browser_event
        WHERE load_id > {from_load:UInt64} AND load_id <= {to_load:UInt64}
            AND cityHash64(event_id) % {buckets:UInt32} = {bucket:UInt32}
        GROUP BY event_id
        HAVING count() > 1
        UNION ALL
        SELECT id FROM dds.work_touched
        WHERE kind = 'event' AND cityHash64(id) % {buckets:UInt32} = {bucket:UInt32}
    )
    GROUP BY id
    HAVING count() > 1
    UNION ALL
    SELECT
        'location' AS stream,
        event_id AS id,
        min((-toInt64(epoch), _partition, _offset)) AS winner,
        groupArray(-toInt64(epoch)) AS epochs
    FROM dds.location_candidate
    WHERE event_id IN
    (
        SELECT event_id FROM ods.location_event
        WHERE load_id > {from_load:UInt64} AND load_id <= {to_load:UInt64}
            AND cityHash64(event_id) % {buckets:UInt32} = {bucket:UInt32}
        GROUP BY event_id
        HAVING count() > 1
        UNION ALL
        SELECT id FROM dds.work_touched
        WHERE kind = 'event' AND cityHash64(id) % {buckets:UInt32} = {bucket:UInt32}
    )
    GROUP BY id
    HAVING count() > 1
    UNION ALL
    SELECT
        'device' AS stream,
        click_id AS id,
        min((-toInt64(epoch), _partition, _offset)) AS winner,
        groupArray(-toInt64(epoch)) AS epochs
    FROM dds.device_candidate
    WHERE click_id IN
    (
        SELECT click_id FROM ods.device_event
        WHERE load_id > {from_load:UInt64} AND load_id <= {to_load:UInt64}
            AND cityHash64(click_id) % {buckets:UInt32} = {bucket:UInt32}
        GROUP BY click_id
        HAVING count() > 1
        UNION ALL
        SELECT id FROM dds.work_touched
        WHERE kind = 'click' AND cityHash64(id) % {buckets:UInt32} = {bucket:UInt32}
    )
    GROUP BY id
    HAVING count() > 1
    UNION ALL
    SELECT
        'geo' AS stream,
        click_id AS id,
        min((-toInt64(epoch), _partition, _offset)) AS winner,
        groupArray(-toInt64(epoch)) AS epochs
    FROM dds.geo_candidate
    WHERE click_id IN
    (
        SELECT click_id FROM ods.geo_event
        WHERE load_id > {from_load:UInt64} AND load_id <= {to_load:UInt64}
            AND cityHash64(click_id) % {buckets:UInt32} = {bucket:UInt32}
        GROUP BY click_id
        HAVING count() > 1
        UNION ALL
        SELECT id FROM dds.work_touched
        WHERE kind = 'click' AND cityHash64(id) % {buckets:UInt32} = {bucket:UInt32}
    )
    GROUP BY id
    HAVING count() > 1
);
