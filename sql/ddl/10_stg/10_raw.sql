-- tier: all
CREATE TABLE IF NOT EXISTS stg.raw
(
    _topic      LowCardinality(String),
    epoch       UInt64,
    _partition  Int32 COMMENT 'Partition of the message',
    _offset     Int64 COMMENT 'Offset of the message in its partition',
    _key        String COMMENT 'Key of the message' CODEC(ZSTD(1)),
    raw         String COMMENT 'Payload as received' CODEC(ZSTD(1)),
    emitted_at  Nullable(DateTime64(6, 'UTC')) COMMENT 'When the visitor sent the message, model time',
    _timestamp  DateTime64(3, 'UTC') DEFAULT now64(3, 'UTC') COMMENT 'Time of the message in Kafka, or of its storage without Kafka; wall-clock time',
    ingested_at DateTime64(6, 'UTC') DEFAULT now64(6, 'UTC') COMMENT 'When ClickHouse stored the message, wall-clock time',
    repairs     String COMMENT 'Rejected message of the topic that this one repairs, as epoch/partition/offset; else empty',
    INDEX ingested_range ingested_at TYPE minmax GRANULARITY 1
)
ENGINE = ReplacingMergeTree
PARTITION BY toDate(ingested_at)
ORDER BY (_topic, epoch, _partition, _offset)
TTL toDateTime(ingested_at) + INTERVAL 30 DAY
SETTINGS ttl_only_drop_parts = 1
COMMENT 'One row per broker message; key (topic, epoch, partition, offset): a redelivered message replaces itself.';

CREATE MATERIALIZED VIEW IF NOT EXISTS stg.epoch_mv TO stg.epoch
    COMMENT 'Registers epochs that stg.epoch lacks: a generator starts epochs by itself. Skips 0 and epochs more than five minutes ahead of this clock, which would stay the latest; a later message registers those.'
AS
SELECT DISTINCT epoch, 'first message' AS reason
FROM stg.raw
WHERE epoch BETWEEN 1 AND toUnixTimestamp64Milli(now64(3) + INTERVAL 5 MINUTE)
    AND epoch NOT IN (SELECT epoch FROM stg.epoch);

CREATE MATERIALIZED VIEW IF NOT EXISTS stg.repair_mv TO stg.repair
    COMMENT 'Records messages that repair rejected ones.'
AS
SELECT
    _topic,
    toUInt64OrZero(place[1]) AS epoch,
    toInt32OrZero(place[2]) AS _partition,
    toInt64OrZero(place[3]) AS _offset,
    by_epoch,
    by_partition,
    by_offset,
    emitted_at
FROM
(
    SELECT _topic, splitByChar('/', repairs) AS place, epoch AS by_epoch, _partition AS by_partition, _offset AS by_offset, emitted_at
    FROM stg.raw
    WHERE repairs != ''
);
