-- tier: broker service
CREATE MATERIALIZED VIEW IF NOT EXISTS stg.raw_mv TO stg.raw
    COMMENT 'One row per message read. A message without the header epoch belongs to the current epoch.'
AS
SELECT
    ifNull(
        toUInt64OrNull(_headers.value[indexOf(_headers.name, 'epoch')]),
        assumeNotNull((SELECT max(epoch) FROM stg.epoch))
    ) AS epoch,
    _topic,
    toInt32(_partition) AS _partition,
    toInt64(_offset) AS _offset,
    _key,
    raw,
    toDateTime64OrNull(nullIf(_headers.value[indexOf(_headers.name, 'emitted_at')], ''), 6, 'UTC') AS emitted_at,
    toTimeZone(ifNull(_timestamp_ms, now64(3)), 'UTC') AS _timestamp,
    _headers.value[indexOf(_headers.name, 'repairs')] AS repairs
FROM stg.queue;
