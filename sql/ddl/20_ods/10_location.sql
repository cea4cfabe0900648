-- tier: all
CREATE TABLE IF NOT EXISTS ods.location_event
(
    event_id       UUID,
    page_url       LowCardinality(String),
    page_url_path  LowCardinality(String),
    referer_url    LowCardinality(String),
    referer_medium LowCardinality(String),
    utm_medium     LowCardinality(String),
    utm_source     LowCardinality(String),
    utm_content    LowCardinality(String),
    utm_campaign   LowCardinality(String),
    markers        Array(LowCardinality(String)),
    epoch          UInt64,
    _topic         LowCardinality(String),
    _partition     Int32,
    _offset        Int64,
    _timestamp     DateTime64(3, 'UTC'),
    emitted_at     Nullable(DateTime64(6, 'UTC')),
    ingested_at    DateTime64(6, 'UTC'),
    load_id        UInt64,
    INDEX load_id_range load_id TYPE minmax GRANULARITY 1
)
ENGINE = MergeTree
ORDER BY (epoch, _partition, _offset)
COMMENT 'One row per typed location message; key (epoch, partition, offset) of its raw row.';

CREATE TABLE IF NOT EXISTS ods.location_event_errors AS ods.browser_event_errors
COMMENT 'One row per message of the stream with at least one marker; key as in the typed table. A record may have several markers.';

CREATE TABLE IF NOT EXISTS ods.location_parsed ENGINE = Null
    COMMENT 'Feeds each location message, parsed once, to ods.location_event and ods.location_event_errors.'
    EMPTY AS
SELECT true AS is_typed, '' AS raw, '' AS _key, * FROM ods.location_event;

CREATE MATERIALIZED VIEW IF NOT EXISTS ods.location_event_mv TO ods.location_event
    COMMENT 'Typed messages of ods.location_parsed.'
AS
SELECT * EXCEPT (is_typed, raw, _key) FROM ods.location_parsed WHERE is_typed;

CREATE MATERIALIZED VIEW IF NOT EXISTS ods.location_event_errors_mv TO ods.location_event_errors
    COMMENT 'Marked messages of ods.location_parsed.'
AS
SELECT markers, is_typed, raw, epoch, _topic, _partition, _offset, _key, _timestamp, emitted_at, ingested_at, load_id
FROM ods.location_parsed
WHERE notEmpty(markers);
