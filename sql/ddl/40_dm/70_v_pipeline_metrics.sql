-- tier: all
-- One row per metric of the layers and set of labels, in the columns that FORMAT Prometheus asks for.
-- Messages are those of the latest epoch; stg forgets, ods does not: what is unaccounted for is sought
-- from the first offset on that stg still holds, partition by partition. Rows of ods count once their
-- load is committed.
CREATE VIEW IF NOT EXISTS dm.v_pipeline_metrics AS
WITH
    (SELECT max(epoch) FROM stg.epoch) AS latest,
    committed AS (SELECT load_id FROM ods.load_commit),
    uncommitted AS (SELECT load_id FROM ods.load_range WHERE load_id NOT IN committed),
    -- By stream and partition, the first offset that no finished load has taken; 0 where all are untaken.
    (
        SELECT mapFromArrays(groupArray(stream), groupArray(offsets))
        FROM
        (
            SELECT stream, mapFromArrays(groupArray(_partition), groupArray(next_offset)) AS offsets
            FROM
            (
                SELECT stream, _partition, max(offset_to) + 1 AS next_offset
                FROM ods.load_range
                WHERE epoch = latest AND load_id IN committed
                GROUP BY stream, _partition
            )
            GROUP BY stream
        )
    ) AS untaken,
    stored AS
    (
        SELECT 'browser' AS stream, _partition AS part, toString(any(_topic)) AS topic, count() AS messages, min(_offset) AS first_offset,
            max(_offset) AS last_offset, countIf(_offset >= untaken['browser'][_partition]) AS pending
        FROM stg.browser_raw FINAL
        WHERE epoch = latest
        GROUP BY part
        UNION ALL
        SELECT 'location' AS stream, _partition AS part, toString(any(_topic)) AS topic, count() AS messages, min(_offset) AS first_offset,
            max(_offset) AS last_offset, countIf(_offset >= untaken['location'][_partition]) AS pending
        FROM stg.location_raw FINAL
        WHERE epoch = latest
        GROUP BY part
        UNION ALL
        SELECT 'device' AS stream, _partition AS part, toString(any(_topic)) AS topic, count() AS messages, min(_offset) AS first_offset,
            max(_offset) AS last_offset, countIf(_offset >= untaken['device'][_partition]) AS pending
        FROM stg.device_raw FINAL
        WHERE epoch = latest
        GROUP BY part
        UNION ALL
        SELECT 'geo' AS stream, _partition AS part, toString(any(_topic)) AS topic, count() AS messages, min(_offset) AS first_offset,
            max(_offset) AS last_offset, countIf(_offset >= untaken['geo'][_partition]) AS pending
        FROM stg.geo_raw FINAL
        WHERE epoch = latest
        GROUP BY part
    ),
    -- A CTE is computed wherever it is named, a scalar once: stg is read once for all that follows.
    (
        SELECT groupArray((stream, part, topic, messages, first_offset, last_offset, pending))
            ::Array(Tuple(stream String, part Int32, topic String, messages UInt64, first_offset Int64, last_offset Int64, pending UInt64))
        FROM stored
    ) AS held,
    -- By stream and partition, the first offset that stg still holds.
    (
        SELECT mapFromArrays(groupArray(stream), groupArray(offsets))
        FROM
        (
            SELECT one.stream AS stream, mapFromArrays(groupArray(one.part), groupArray(one.first_offset)) AS offsets
            FROM (SELECT arrayJoin(held) AS one)
            GROUP BY stream
        )
    ) AS held_from,
    marked AS
    (
        SELECT 'browser' AS stream, markers, is_typed, _partition, _offset FROM ods.browser_event_errors WHERE epoch = latest AND load_id IN committed
        UNION ALL
        SELECT 'location' AS stream, markers, is_typed, _partition, _offset FROM ods.location_event_errors WHERE epoch = latest AND load_id IN committed
        UNION ALL
        SELECT 'device' AS stream, markers, is_typed, _partition, _offset FROM ods.device_event_errors WHERE epoch = latest AND load_id IN committed
        UNION ALL
        SELECT 'geo' AS stream, markers, is_typed, _partition, _offset FROM ods.geo_event_errors WHERE epoch = latest AND load_id IN committed
    ),
    -- The messages of ods that stg still holds; a partition it no longer knows is nobody's concern.
    settled AS
    (
        SELECT 'browser' AS stream, _partition AS part, count() AS messages
        FROM ods.browser_event
        WHERE epoch = latest AND _offset >= arrayMin(mapValues(held_from['browser'])) AND _offset >= held_from['browser'][_partition] AND _offset < untaken['browser'][_partition]
        GROUP BY part
        UNION ALL
        SELECT 'location' AS stream, _partition AS part, count() AS messages
        FROM ods.location_event
        WHERE epoch = latest AND _offset >= arrayMin(mapValues(held_from['location'])) AND _offset >= held_from['location'][_partition] AND _offset < untaken['location'][_partition]
        GROUP BY part
        UNION ALL
        SELECT 'device' AS stream, _partition AS part, count() AS messages
        FROM ods.device_event
        WHERE epoch = latest AND _offset >= arrayMin(mapValues(held_from['device'])) AND _offset >= held_from['device'][_partition] AND _offset < untaken['device'][_partition]
        GROUP BY part
        UNION ALL
        SELECT 'geo' AS stream, _partition AS part, count() AS messages
        FROM ods.geo_event
        WHERE epoch = latest AND _offset >= arrayMin(mapValues(held_from['geo'])) AND _offset >= held_from['geo'][_partition] AND _offset < untaken['geo'][_partition]
        GROUP BY part
        UNION ALL
        SELECT stream, _partition AS part, count() AS messages
        FROM marked
        WHERE NOT is_typed AND _offset >= held_from[stream][_partition]
        GROUP BY stream, part
    ),
    counted AS
    (
        SELECT
            stream,
            sum(parts.raw) AS raw,
            sum(parts.typed) AS typed,
            sum(parts.rejected) AS rejected,
            sum(parts.pending) AS pending,
            sum(greatest(parts.raw - parts.pending - parts.settled, 0)) AS unaccounted
        FROM
        (
            SELECT
                stream,
                part,
                sumIf(amount, kind = 'raw') AS raw,
                sumIf(amount, kind = 'typed') AS typed,
                sumIf(amount, kind = 'rejected') AS rejected,
                sumIf(amount, kind = 'pending') AS pending,
                sumIf(amount, kind = 'settled') AS settled
            FROM
            (
                SELECT one.stream AS stream, one.part AS part, 'raw' AS kind, toInt64(one.messages) AS amount
                FROM (SELECT arrayJoin(held) AS one)
                UNION ALL
                SELECT one.stream, one.part, 'pending', toInt64(one.pending) FROM (SELECT arrayJoin(held) AS one)
                UNION ALL
                SELECT stream, part, 'settled', toInt64(messages) FROM settled
                UNION ALL
                -- The primary key counts these, whatever stg has let go, and the index of loads what is not committed.
                SELECT 'browser', 0, 'typed', toInt64(count()) FROM ods.browser_event WHERE epoch = latest
                UNION ALL
                SELECT 'browser', 0, 'typed', -toInt64(count()) FROM ods.browser_event WHERE epoch = latest AND load_id IN uncommitted
                UNION ALL
                SELECT 'location', 0, 'typed', toInt64(count()) FROM ods.location_event WHERE epoch = latest
                UNION ALL
                SELECT 'location', 0, 'typed', -toInt64(count()) FROM ods.location_event WHERE epoch = latest AND load_id IN uncommitted
                UNION ALL
                SELECT 'device', 0, 'typed', toInt64(count()) FROM ods.device_event WHERE epoch = latest
                UNION ALL
                SELECT 'device', 0, 'typed', -toInt64(count()) FROM ods.device_event WHERE epoch = latest AND load_id IN uncommitted
                UNION ALL
                SELECT 'geo', 0, 'typed', toInt64(count()) FROM ods.geo_event WHERE epoch = latest
                UNION ALL
                SELECT 'geo', 0, 'typed', -toInt64(count()) FROM ods.geo_event WHERE epoch = latest AND load_id IN uncommitted
                UNION ALL
                SELECT stream, 0, 'rejected', toInt64(count()) FROM marked WHERE NOT is_typed GROUP BY stream
                UNION ALL
                -- A stream without a message tells zeros.
                SELECT arrayJoin(['browser', 'location', 'device', 'geo']), 0, 'raw', toInt64(0)
            )
            GROUP BY stream, part
        ) AS parts
        GROUP BY stream
    ),
    -- A layer is as fresh as the newest raw row that the last load it has taken up could see.
    loaded AS
    (
        SELECT load_id, max(planned_at) AS planned_at
        FROM ods.load_range
        WHERE load_id IN (SELECT load_id FROM ods.load_commit)
        GROUP BY load_id
    ),
    fresh AS
    (
        SELECT 'stg' AS layer, max(newest) AS newest
        FROM
        (
            SELECT max(ingested_at) AS newest FROM stg.browser_raw
            UNION ALL
            SELECT max(ingested_at) FROM stg.location_raw
            UNION ALL
            SELECT max(ingested_at) FROM stg.device_raw
            UNION ALL
            SELECT max(ingested_at) FROM stg.geo_raw
        )
        UNION ALL
        SELECT 'ods', max(planned_at) FROM loaded
        UNION ALL
        SELECT 'dds', max(planned_at) FROM loaded WHERE load_id <= (SELECT max(load_id) FROM dds.load_commit)
        UNION ALL
        SELECT 'dm', max(planned_at) FROM loaded
        WHERE load_id <=
        (
            SELECT min(load_id)
            FROM (SELECT target, max(load_id) AS load_id FROM dm.load_commit GROUP BY target)
        )
    )
SELECT name, value, help, 'gauge' AS type, labels
FROM
(
    SELECT
        'pipeline_messages' AS name,
        toFloat64(state.2) AS value,
        'Messages of the latest epoch by state; unaccounted ones are lost' AS help,
        map('stream', stream, 'state', state.1) AS labels
    FROM counted
    ARRAY JOIN
        [('raw', raw), ('typed', typed), ('rejected', rejected), ('pending', pending), ('unaccounted', unaccounted)]
        AS state
    UNION ALL
    SELECT 'pipeline_marked_messages', toFloat64(count()), 'Messages of the latest epoch in ods.*_errors',
        map('stream', stream, 'reason', toString(marker))
    FROM marked
    ARRAY JOIN markers AS marker
    GROUP BY stream, marker
    UNION ALL
    SELECT 'pipeline_newest_ingestion_timestamp_seconds', toFloat64(toUnixTimestamp64Milli(toDateTime64(newest, 3, 'UTC'))) / 1000,
        'Wall time of the newest message that the layer can hold', map('layer', layer)
    FROM fresh
    WHERE newest > toDateTime64('2000-01-01 00:00:00', 6, 'UTC')
    UNION ALL
    SELECT 'pipeline_oldest_ingestion_timestamp_seconds', toFloat64(toUnixTimestamp64Milli(toDateTime64(min(oldest), 3, 'UTC'))) / 1000,
        'Wall time of the oldest message that stg holds', map('layer', 'stg')
    FROM
    (
        SELECT min(ingested_at) AS oldest, count() AS messages FROM stg.browser_raw
        UNION ALL
        SELECT min(ingested_at), count() FROM stg.location_raw
        UNION ALL
        SELECT min(ingested_at), count() FROM stg.device_raw
        UNION ALL
        SELECT min(ingested_at), count() FROM stg.geo_raw
    )
    WHERE messages > 0
    HAVING count() > 0
    UNION ALL
    SELECT 'pipeline_stg_next_offset', toFloat64(one.last_offset + 1), 'Offset after the last one that stg holds',
        map('topic', one.topic, 'partition', toString(one.part))
    FROM (SELECT arrayJoin(held) AS one)
    UNION ALL
    SELECT 'pipeline_rows', toFloat64(assumeNotNull(total_rows)), 'Rows of the table', map('layer', database, 'entity', name)
    FROM system.tables
    WHERE database IN ('stg', 'ods', 'dds', 'dm') AND engine LIKE '%MergeTree' AND total_rows IS NOT NULL
    UNION ALL
    SELECT 'pipeline_orphan_events', toFloat64(argMax(orphan_events, checked_at)),
        'Events without their click at the last check of dds', map()
    FROM dds.integrity_check
    UNION ALL
    SELECT 'pipeline_system_log_bytes', toFloat64(sum(bytes_on_disk)), 'Bytes that the database writes about itself',
        map()
    FROM system.parts
    WHERE database = 'system' AND active
)
ORDER BY name, toString(labels);
