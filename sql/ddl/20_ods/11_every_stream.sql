-- tier: all
-- Tables and views of each stream.
CREATE TABLE IF NOT EXISTS ods.{stream}_event_errors
(
    error_reason String DEFAULT arrayStringConcat(markers, ',') COMMENT 'Markers of the record, joined by commas',
    markers      Array(LowCardinality(String)),
    is_typed     Bool COMMENT 'Whether the message is also in the typed table',
    raw          String CODEC(ZSTD(1)),
    epoch        UInt64,
    _topic       LowCardinality(String),
    _partition   Int32,
    _offset      Int64,
    _key         String,
    _timestamp   DateTime64(3, 'UTC'),
    emitted_at   Nullable(DateTime64(6, 'UTC')),
    ingested_at  DateTime64(6, 'UTC'),
    load_id      UInt64,
    INDEX load_id_range load_id TYPE minmax GRANULARITY 1
)
ENGINE = MergeTree
ORDER BY (epoch, _partition, _offset)
COMMENT 'One row per message of the stream with at least one marker; key as in the typed table. A record may have several markers.';

CREATE TABLE IF NOT EXISTS ods.{stream}_parsed ENGINE = Null
    COMMENT 'Feeds each {stream} message, parsed once, to ods.{stream}_event and ods.{stream}_event_errors.'
    EMPTY AS
SELECT true AS is_typed, '' AS raw, '' AS _key, * FROM ods.{stream}_event;

CREATE MATERIALIZED VIEW IF NOT EXISTS ods.{stream}_event_mv TO ods.{stream}_event
    COMMENT 'Typed messages of ods.{stream}_parsed.'
AS
SELECT * EXCEPT (is_typed, raw, _key) FROM ods.{stream}_parsed WHERE is_typed;

CREATE MATERIALIZED VIEW IF NOT EXISTS ods.{stream}_event_errors_mv TO ods.{stream}_event_errors
    COMMENT 'Marked messages of ods.{stream}_parsed.'
AS
SELECT markers, is_typed, raw, epoch, _topic, _partition, _offset, _key, _timestamp, emitted_at, ingested_at, load_id
FROM ods.{stream}_parsed
WHERE notEmpty(markers);
