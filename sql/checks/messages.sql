-- Messages of one epoch per stream and model day of emission: raw, typed, rejected, not yet loaded.
-- A raw row older than its time to live counts as raw as long as ods still holds it.
-- same_rows: the very rows of stg are in ods or pending, not just as many: a lost one and a doubled
-- one would hide each other in the counts. It compares order-independent sums of row hashes.
WITH
    watermark AS
    (
        SELECT stream, _partition, max(offset_to) AS offset_to
        FROM ods.load_range
        WHERE epoch = {epoch:UInt64} AND load_id IN (SELECT load_id FROM ods.load_commit)
        GROUP BY stream, _partition
    ),
    oldest AS
    (
        SELECT 'browser' AS stream, _partition, min(_offset) AS _offset
        FROM stg.browser_raw WHERE epoch = {epoch:UInt64} GROUP BY _partition
        UNION ALL
        SELECT 'location' AS stream, _partition, min(_offset) AS _offset
        FROM stg.location_raw WHERE epoch = {epoch:UInt64} GROUP BY _partition
        UNION ALL
        SELECT 'device' AS stream, _partition, min(_offset) AS _offset
        FROM stg.device_raw WHERE epoch = {epoch:UInt64} GROUP BY _partition
        UNION ALL
        SELECT 'geo' AS stream, _partition, min(_offset) AS _offset
        FROM stg.geo_raw WHERE epoch = {epoch:UInt64} GROUP BY _partition
    ),
    fate AS
    (
        SELECT 'browser' AS stream, 'stored' AS fate, _partition, _offset, toDate(emitted_at, 'UTC') AS day
        FROM stg.browser_raw FINAL WHERE epoch = {epoch:UInt64}
        UNION ALL
        SELECT 'browser', 'typed', _partition, _offset, toDate(emitted_at, 'UTC')
        FROM ods.browser_event WHERE epoch = {epoch:UInt64}
        UNION ALL
        SELECT 'browser', 'rejected', _partition, _offset, toDate(emitted_at, 'UTC')
        FROM ods.browser_event_errors WHERE epoch = {epoch:UInt64} AND NOT is_typed
        UNION ALL
        SELECT 'location' AS stream, 'stored' AS fate, _partition, _offset, toDate(emitted_at, 'UTC') AS day
        FROM stg.location_raw FINAL WHERE epoch = {epoch:UInt64}
        UNION ALL
        SELECT 'location', 'typed', _partition, _offset, toDate(emitted_at, 'UTC')
        FROM ods.location_event WHERE epoch = {epoch:UInt64}
        UNION ALL
        SELECT 'location', 'rejected', _partition, _offset, toDate(emitted_at, 'UTC')
        FROM ods.location_event_errors WHERE epoch = {epoch:UInt64} AND NOT is_typed
        UNION ALL
        SELECT 'device' AS stream, 'stored' AS fate, _partition, _offset, toDate(emitted_at, 'UTC') AS day
        FROM stg.device_raw FINAL WHERE epoch = {epoch:UInt64}
        UNION ALL
        SELECT 'device', 'typed', _partition, _offset, toDate(emitted_at, 'UTC')
        FROM ods.device_event WHERE epoch = {epoch:UInt64}
        UNION ALL
        SELECT 'device', 'rejected', _partition, _offset, toDate(emitted_at, 'UTC')
        FROM ods.device_event_errors WHERE epoch = {epoch:UInt64} AND NOT is_typed
        UNION ALL
        SELECT 'geo' AS stream, 'stored' AS fate, _partition, _offset, toDate(emitted_at, 'UTC') AS day
        FROM stg.geo_raw FINAL WHERE epoch = {epoch:UInt64}
        UNION ALL
        SELECT 'geo', 'typed', _partition, _offset, toDate(emitted_at, 'UTC')
        FROM ods.geo_event WHERE epoch = {epoch:UInt64}
        UNION ALL
        SELECT 'geo', 'rejected', _partition, _offset, toDate(emitted_at, 'UTC')
        FROM ods.geo_event_errors WHERE epoch = {epoch:UInt64} AND NOT is_typed
    )
SELECT
    stream,
    day,
    countIf(is_raw) AS raw,
    countIf(fate = 'typed') AS typed,
    countIf(fate = 'rejected') AS rejected,
    countIf(is_pending) AS pending,
    sumIf(row_hash, is_raw) = sumIf(row_hash, fate != 'stored' OR is_pending) AS same_rows
FROM
(
    SELECT
        fate.stream AS stream,
        ifNull(toString(fate.day), '') AS day,
        fate.fate AS fate,
        cityHash64(fate._partition, fate._offset) AS row_hash,
        fate = 'stored' OR oldest.stream = '' OR fate._offset < oldest._offset AS is_raw,
        fate = 'stored' AND (watermark.stream = '' OR fate._offset > watermark.offset_to) AS is_pending
    FROM fate
    LEFT JOIN watermark ON fate.stream = watermark.stream AND fate._partition = watermark._partition
    LEFT JOIN oldest ON fate.stream = oldest.stream AND fate._partition = oldest._partition
)
GROUP BY stream, day
ORDER BY indexOf(['browser', 'location', 'device', 'geo'], stream), day;
