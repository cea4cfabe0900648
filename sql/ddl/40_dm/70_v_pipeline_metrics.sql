-- tier: all
CREATE VIEW IF NOT EXISTS dm_internal.v_pipeline_metrics
    COMMENT 'One row per metric of the layers and set of labels, in the columns of FORMAT Prometheus. Counts messages of the latest epoch. Lost and duplicated messages are of every epoch, but only of loads of the past 30 days, which stg still has. Only rows of committed loads of ods count. Ignores messages that never reached stg, and rows of ods that stg lacks: `make prove` is the exact check.'
AS
WITH
    (SELECT max(epoch) FROM stg.epoch) AS latest,
    committed AS (SELECT load_id FROM ods.load_commit),
    uncommitted AS (SELECT load_id FROM ods.load_range WHERE load_id NOT IN committed),
    -- One read for all uses: a load that commits meanwhile must not count in one place only.
    (SELECT groupUniqArray(load_id) FROM ods.load_range WHERE planned_at > now() - INTERVAL 30 DAY AND load_id IN committed) AS checked_at_once,
    checked AS (SELECT arrayJoin(checked_at_once) AS load_id),
    -- Offsets by stream, epoch and partition, as bitmaps, of all stg and of the checked loads of ods.
    offsets AS
    (
        SELECT replaceOne(_topic, '_events', '') AS stream, epoch, _partition AS part, 'stg' AS layer,
            count() AS messages, groupBitmapState(toUInt64(_offset)) AS bits
        FROM stg.raw
        GROUP BY stream, epoch, part
        UNION ALL
        SELECT replaceOne(_topic, '_events', '') AS stream, epoch, _partition AS part, 'ods', count(), groupBitmapState(toUInt64(_offset))
        FROM merge('ods', '_event$')
        WHERE load_id IN checked
        GROUP BY stream, epoch, part
        UNION ALL
        SELECT replaceOne(_topic, '_events', '') AS stream, epoch, _partition AS part, 'ods', count(), groupBitmapState(toUInt64(_offset))
        FROM merge('ods', '_event_errors$')
        WHERE (NOT is_typed OR has(markers, 'expired')) AND load_id IN checked
        GROUP BY stream, epoch, part
    ),
    -- A CTE is computed at each use, but a scalar once, so stg is read once. rest: messages in stg that ods
    -- lacks. They are lost up to the last loaded offset, and pending after it.
    (
        SELECT groupArray((stream, epoch, part, raw, next_offset, pending, lost, doubled))
            ::Array(Tuple(stream String, epoch UInt64, part Int32, raw UInt64, next_offset UInt64, pending UInt64, lost UInt64, doubled UInt64))
        FROM
        (
            SELECT
                stream,
                epoch,
                part,
                groupBitmapMergeStateIf(bits, layer = 'stg') AS stored,
                groupBitmapMergeStateIf(bits, layer = 'ods') AS written,
                bitmapAndnot(stored, written) AS rest,
                bitmapCardinality(stored) AS raw,
                if(raw = 0, 0, bitmapMax(stored) + 1) AS next_offset,
                any(taken.first_offset) AS taken_from,
                any(taken.end_offset) AS taken_to,
                bitmapCardinality(bitmapSubsetInRange(rest, taken_to, 18446744073709551615)) AS pending,
                bitmapCardinality(bitmapSubsetInRange(rest, taken_from, taken_to)) AS lost,
                sumIf(messages, layer = 'ods') - bitmapCardinality(written) AS doubled
            FROM offsets
            LEFT JOIN
            (
                SELECT stream, epoch, _partition AS part, toUInt64(min(offset_from) + 1) AS first_offset, toUInt64(max(offset_to) + 1) AS end_offset
                FROM ods.load_range
                WHERE load_id IN checked
                GROUP BY stream, epoch, part
            ) AS taken USING (stream, epoch, part)
            GROUP BY stream, epoch, part
        )
    ) AS held,
    part AS (SELECT arrayJoin(held) AS one),
    marked AS
    (
        SELECT replaceOne(_topic, '_events', '') AS stream, markers, is_typed
        FROM merge('ods', '_event_errors$')
        WHERE epoch = latest AND load_id IN committed
    ),
    counted AS
    (
        SELECT stream, state, sum(amount) AS messages
        FROM
        (
            SELECT one.stream AS stream, counts.1 AS state, counts.2 AS amount
            FROM part
            ARRAY JOIN [('raw', toInt64(one.raw)), ('pending', toInt64(one.pending))] AS counts
            WHERE one.epoch = latest
            UNION ALL
            SELECT one.stream, counts.1, counts.2
            FROM part
            ARRAY JOIN [('lost', toInt64(one.lost)), ('doubled', toInt64(one.doubled))] AS counts
            UNION ALL
            -- The primary key gives these counts, and the index of loads the uncommitted rows, independent of
            -- stg.
            SELECT 'browser', 'typed', toInt64(count()) FROM ods.browser_event WHERE epoch = latest
            UNION ALL
            SELECT 'location', 'typed', toInt64(count()) FROM ods.location_event WHERE epoch = latest
            UNION ALL
            SELECT 'device', 'typed', toInt64(count()) FROM ods.device_event WHERE epoch = latest
            UNION ALL
            SELECT 'geo', 'typed', toInt64(count()) FROM ods.geo_event WHERE epoch = latest
            UNION ALL
            SELECT replaceOne(_topic, '_events', '') AS stream, 'typed', -toInt64(count())
            FROM merge('ods', '_event$')
            WHERE epoch = latest AND load_id IN uncommitted
            GROUP BY stream
            UNION ALL
            SELECT stream, if(is_typed, 'typed', 'rejected'), toInt64(count()) FROM marked WHERE NOT is_typed OR has(markers, 'expired') GROUP BY ALL
            UNION ALL
            -- Adds zeros for streams without messages.
            SELECT
                arrayJoin(['browser', 'location', 'device', 'geo']),
                arrayJoin(['raw', 'typed', 'rejected', 'pending', 'lost', 'doubled']),
                toInt64(0)
        )
        GROUP BY stream, state
    )
SELECT name, value, help, 'gauge' AS type, labels
FROM
(
    SELECT
        'pipeline_messages' AS name,
        toFloat64(messages) AS value,
        'Messages of the latest epoch by state; lost and duplicated messages of all epochs' AS help,
        map('stream', stream, 'state', state) AS labels
    FROM counted
    UNION ALL
    SELECT 'pipeline_marked_messages', toFloat64(count()), 'Messages of the latest epoch in ods.*_errors',
        map('stream', stream, 'reason', toString(marker))
    FROM marked
    ARRAY JOIN markers AS marker
    WHERE marker NOT IN ('expired', 'session_expired')
    GROUP BY stream, marker
    UNION ALL
    -- Markers of load_dds name a message that is missing; counted by the last load, because dds is large.
    SELECT 'pipeline_missing_messages', toFloat64(value), 'Messages of all epochs that dds lacked at the last load',
        map('stream', splitByChar('_', toString(metric))[1], 'reason', toString(metric))
    FROM dm.dq_summary
    WHERE layer = 'dds' AND metric IN ('location_not_found', 'browser_missing', 'device_missing', 'geo_missing')
    UNION ALL
    SELECT 'pipeline_newest_ingestion_timestamp_seconds', toFloat64(toUnixTimestamp64Milli(toDateTime64(newest, 3, 'UTC'))) / 1000,
        'Wall-clock time of the newest message available to the layer', map('layer', layer)
    FROM dm_internal.v_freshness
    WHERE newest > toDateTime64('2000-01-01 00:00:00', 6, 'UTC')
    UNION ALL
    SELECT 'pipeline_oldest_ingestion_timestamp_seconds', toFloat64(toUnixTimestamp64Milli(toDateTime64(min(ingested_at), 3, 'UTC'))) / 1000,
        'Wall-clock time of the oldest message in stg', map('layer', 'stg')
    FROM stg.raw
    HAVING count() > 0
    UNION ALL
    SELECT 'pipeline_newest_event_timestamp_seconds', toFloat64(toUnixTimestamp64Milli(toDateTime64(newest_event, 3, 'UTC'))) / 1000,
        'Event time of the newest event in the marts, without skewed clocks', map('layer', 'dm')
    FROM dm.complete_period
    WHERE newest_event > toDateTime64('2000-01-01 00:00:00', 6, 'UTC')
    UNION ALL
    SELECT 'pipeline_stg_next_offset', toFloat64(one.next_offset), 'Offset after the last message in stg',
        map('topic', concat(one.stream, '_events'), 'partition', toString(one.part))
    FROM part
    WHERE one.epoch = latest AND one.raw > 0
    UNION ALL
    SELECT 'pipeline_rows', toFloat64(assumeNotNull(total_rows)), 'Rows of the table', map('layer', database, 'entity', name)
    FROM system.tables
    WHERE database IN ('stg', 'ods', 'dds', 'dm') AND engine LIKE '%MergeTree' AND total_rows IS NOT NULL
    UNION ALL
    SELECT 'pipeline_orphan_events', toFloat64(argMax(orphan_events, checked_at)),
        'Events without a session at the last check of dds', map()
    FROM dds.integrity_check
    UNION ALL
    SELECT 'pipeline_system_log_bytes', toFloat64(sum(bytes_on_disk)), 'Size of the system logs of the database, bytes',
        map()
    FROM system.parts
    WHERE database = 'system' AND active
)
ORDER BY name, toString(labels);

ALTER TABLE dm_internal.v_pipeline_metrics
    COMMENT COLUMN name 'Name of the metric',
    COMMENT COLUMN value 'Value of the metric',
    COMMENT COLUMN help 'Description of the metric',
    COMMENT COLUMN type 'Type of the metric in Prometheus',
    COMMENT COLUMN labels 'Labels of the metric';
