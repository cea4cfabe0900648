-- tier: all
CREATE TABLE IF NOT EXISTS ods.geo_event
(
    click_id        UUID,
    geo_country     LowCardinality(String),
    geo_timezone    LowCardinality(String),
    geo_region_name LowCardinality(String),
    ip_address      String,
    geo_latitude    Nullable(Float64),
    geo_longitude   Nullable(Float64),
    markers         Array(LowCardinality(String)),
    epoch           UInt64,
    _topic          LowCardinality(String),
    _partition      Int32,
    _offset         Int64,
    _timestamp      DateTime64(3, 'UTC'),
    emitted_at      Nullable(DateTime64(6, 'UTC')),
    ingested_at     DateTime64(6, 'UTC'),
    load_id         UInt64,
    INDEX load_id_range load_id TYPE minmax GRANULARITY 1
)
ENGINE = MergeTree
ORDER BY (epoch, _partition, _offset)
COMMENT 'One row per typed geo message; key (epoch, partition, offset) of its raw row.';

CREATE TABLE IF NOT EXISTS ods.geo_event_errors AS ods.browser_event_errors
COMMENT 'One row per message of the stream with at least one marker; key as in the typed table. A record may have several markers.';

CREATE TABLE IF NOT EXISTS ods.geo_parsed ENGINE = Null
    COMMENT 'Feeds each geo message, parsed once, to ods.geo_event and ods.geo_event_errors.'
    EMPTY AS
SELECT true AS is_typed, '' AS raw, '' AS _key, * FROM ods.geo_event;

CREATE MATERIALIZED VIEW IF NOT EXISTS ods.geo_event_mv TO ods.geo_event
    COMMENT 'Typed messages of ods.geo_parsed.'
AS
SELECT * EXCEPT (is_typed, raw, _key) FROM ods.geo_parsed WHERE is_typed;

CREATE MATERIALIZED VIEW IF NOT EXISTS ods.geo_event_errors_mv TO ods.geo_event_errors
    COMMENT 'Marked messages of ods.geo_parsed.'
AS
SELECT markers, is_typed, raw, epoch, _topic, _partition, _offset, _key, _timestamp, emitted_at, ingested_at, load_id
FROM ods.geo_parsed
WHERE notEmpty(markers);
