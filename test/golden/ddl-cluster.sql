-- tier: all
-- Creates one database per layer: raw, typed, integrated, presented. A separate database has scratch and
-- commits of dm, so that dm has only what analysts read.
CREATE DATABASE IF NOT EXISTS stg ON CLUSTER 'events';

CREATE DATABASE IF NOT EXISTS ods ON CLUSTER 'events';

CREATE DATABASE IF NOT EXISTS dds ON CLUSTER 'events';

CREATE DATABASE IF NOT EXISTS dm ON CLUSTER 'events';

CREATE DATABASE IF NOT EXISTS dm_internal ON CLUSTER 'events';

-- tier: all
-- One row per epoch and registration: read the greatest epoch, or DISTINCT epochs. All epochs count in ods,
-- dds and dm; the latest has priority per id, and gets messages without a header.
CREATE TABLE IF NOT EXISTS stg.epoch ON CLUSTER 'events'
(
    epoch      UInt64,
    reason     LowCardinality(String),
    started_at DateTime64(6, 'UTC') DEFAULT now64(6, 'UTC')
)
ENGINE = ReplicatedMergeTree
ORDER BY epoch;

-- tier: all
-- One row per epoch and source: messages sent by a backfill or a load. statement: counts in total and per
-- model day, and isFinal if known; manifest: JSON, empty for slices and appended loads.
CREATE TABLE IF NOT EXISTS stg.manifest ON CLUSTER 'events'
(
    epoch     UInt64,
    source    String,
    statement String,
    manifest  String,
    stored_at DateTime64(6, 'UTC') DEFAULT now64(6, 'UTC')
)
ENGINE = ReplicatedReplacingMergeTree
ORDER BY (epoch, source);

-- tier: all
-- One row per lease, the right of one run to write the layers. Numbers are never reused, so never empty the
-- table. A renewal adds a row, and merges keep the latest: read it with FINAL.
CREATE TABLE IF NOT EXISTS stg.lease ON CLUSTER 'events'
(
    id          UInt64,
    step        LowCardinality(String),
    owner       String,
    acquired_at DateTime64(6, 'UTC'),
    renewed_at  DateTime64(6, 'UTC')
)
ENGINE = ReplicatedReplacingMergeTree(renewed_at)
ORDER BY id;

-- tier: all
-- One row per epoch whose data set has its own funnel: stages and their pages, as JSON.
CREATE TABLE IF NOT EXISTS stg.funnel ON CLUSTER 'events'
(
    epoch     UInt64,
    funnel    String,
    stored_at DateTime64(6, 'UTC') DEFAULT now64(6, 'UTC')
)
ENGINE = ReplicatedReplacingMergeTree(stored_at)
ORDER BY epoch;

-- tier: all
-- One row per broker message; key (epoch, partition, offset): a redelivered message replaces itself.
CREATE TABLE IF NOT EXISTS stg.browser_raw ON CLUSTER 'events'
(
    epoch       UInt64,
    _topic      LowCardinality(String),
    _partition  Int32,
    _offset     Int64,
    _key        String CODEC(ZSTD(1)),
    raw         String CODEC(ZSTD(1)),
    emitted_at  Nullable(DateTime64(6, 'UTC')),
    _timestamp  DateTime64(3, 'UTC') DEFAULT now64(3, 'UTC'),
    ingested_at DateTime64(6, 'UTC') DEFAULT now64(6, 'UTC')
)
ENGINE = ReplicatedReplacingMergeTree
PARTITION BY toDate(ingested_at)
ORDER BY (epoch, _partition, _offset)
TTL toDateTime(ingested_at) + INTERVAL 30 DAY
SETTINGS ttl_only_drop_parts = 1;

-- tier: all
-- One row per broker message; key (epoch, partition, offset): a redelivered message replaces itself.
CREATE TABLE IF NOT EXISTS stg.device_raw ON CLUSTER 'events'
(
    epoch       UInt64,
    _topic      LowCardinality(String),
    _partition  Int32,
    _offset     Int64,
    _key        String CODEC(ZSTD(1)),
    raw         String CODEC(ZSTD(1)),
    emitted_at  Nullable(DateTime64(6, 'UTC')),
    _timestamp  DateTime64(3, 'UTC') DEFAULT now64(3, 'UTC'),
    ingested_at DateTime64(6, 'UTC') DEFAULT now64(6, 'UTC')
)
ENGINE = ReplicatedReplacingMergeTree
PARTITION BY toDate(ingested_at)
ORDER BY (epoch, _partition, _offset)
TTL toDateTime(ingested_at) + INTERVAL 30 DAY
SETTINGS ttl_only_drop_parts = 1;

-- tier: all
-- One row per broker message; key (epoch, partition, offset): a redelivered message replaces itself.
CREATE TABLE IF NOT EXISTS stg.geo_raw ON CLUSTER 'events'
(
    epoch       UInt64,
    _topic      LowCardinality(String),
    _partition  Int32,
    _offset     Int64,
    _key        String CODEC(ZSTD(1)),
    raw         String CODEC(ZSTD(1)),
    emitted_at  Nullable(DateTime64(6, 'UTC')),
    _timestamp  DateTime64(3, 'UTC') DEFAULT now64(3, 'UTC'),
    ingested_at DateTime64(6, 'UTC') DEFAULT now64(6, 'UTC')
)
ENGINE = ReplicatedReplacingMergeTree
PARTITION BY toDate(ingested_at)
ORDER BY (epoch, _partition, _offset)
TTL toDateTime(ingested_at) + INTERVAL 30 DAY
SETTINGS ttl_only_drop_parts = 1;

-- tier: all
-- One row per broker message; key (epoch, partition, offset): a redelivered message replaces itself.
CREATE TABLE IF NOT EXISTS stg.location_raw ON CLUSTER 'events'
(
    epoch       UInt64,
    _topic      LowCardinality(String),
    _partition  Int32,
    _offset     Int64,
    _key        String CODEC(ZSTD(1)),
    raw         String CODEC(ZSTD(1)),
    emitted_at  Nullable(DateTime64(6, 'UTC')),
    _timestamp  DateTime64(3, 'UTC') DEFAULT now64(3, 'UTC'),
    ingested_at DateTime64(6, 'UTC') DEFAULT now64(6, 'UTC')
)
ENGINE = ReplicatedReplacingMergeTree
PARTITION BY toDate(ingested_at)
ORDER BY (epoch, _partition, _offset)
TTL toDateTime(ingested_at) + INTERVAL 30 DAY
SETTINGS ttl_only_drop_parts = 1;

-- tier: service
-- One row per message from `pipeline ingest`; stores nothing. While this table is detached, the service pauses.
CREATE TABLE IF NOT EXISTS stg.browser_queue ON CLUSTER 'events'
(
    epoch        UInt64,
    _partition   Int32,
    _offset      Int64,
    _key         String,
    raw          String,
    emitted_at   String,
    timestamp_ms Int64
)
ENGINE = Null;

-- Remembers the tokens of the latest inserts, so that of two with one token the server stores one.
ALTER TABLE stg.browser_raw ON CLUSTER 'events' MODIFY SETTING replicated_deduplication_window = 1000;

-- tier: service
-- One row per message from `pipeline ingest`; stores nothing. While this table is detached, the service pauses.
CREATE TABLE IF NOT EXISTS stg.device_queue ON CLUSTER 'events'
(
    epoch        UInt64,
    _partition   Int32,
    _offset      Int64,
    _key         String,
    raw          String,
    emitted_at   String,
    timestamp_ms Int64
)
ENGINE = Null;

-- Remembers the tokens of the latest inserts, so that of two with one token the server stores one.
ALTER TABLE stg.device_raw ON CLUSTER 'events' MODIFY SETTING replicated_deduplication_window = 1000;

-- tier: service
-- One row per message from `pipeline ingest`; stores nothing. While this table is detached, the service pauses.
CREATE TABLE IF NOT EXISTS stg.geo_queue ON CLUSTER 'events'
(
    epoch        UInt64,
    _partition   Int32,
    _offset      Int64,
    _key         String,
    raw          String,
    emitted_at   String,
    timestamp_ms Int64
)
ENGINE = Null;

-- Remembers the tokens of the latest inserts, so that of two with one token the server stores one.
ALTER TABLE stg.geo_raw ON CLUSTER 'events' MODIFY SETTING replicated_deduplication_window = 1000;

-- tier: service
-- One row per message from `pipeline ingest`; stores nothing. While this table is detached, the service pauses.
CREATE TABLE IF NOT EXISTS stg.location_queue ON CLUSTER 'events'
(
    epoch        UInt64,
    _partition   Int32,
    _offset      Int64,
    _key         String,
    raw          String,
    emitted_at   String,
    timestamp_ms Int64
)
ENGINE = Null;

-- Remembers the tokens of the latest inserts, so that of two with one token the server stores one.
ALTER TABLE stg.location_raw ON CLUSTER 'events' MODIFY SETTING replicated_deduplication_window = 1000;

-- tier: service
-- One row per message received.
CREATE MATERIALIZED VIEW IF NOT EXISTS stg.browser_mv ON CLUSTER 'events' TO stg.browser_raw AS
SELECT
    epoch,
    'browser_events' AS _topic,
    _partition,
    _offset,
    _key,
    raw,
    toDateTime64OrNull(nullIf(emitted_at, ''), 6, 'UTC') AS emitted_at,
    toTimeZone(if(timestamp_ms < 0, now64(3), fromUnixTimestamp64Milli(timestamp_ms)), 'UTC') AS _timestamp
FROM stg.browser_queue;

-- tier: service
-- One row per message received.
CREATE MATERIALIZED VIEW IF NOT EXISTS stg.device_mv ON CLUSTER 'events' TO stg.device_raw AS
SELECT
    epoch,
    'device_events' AS _topic,
    _partition,
    _offset,
    _key,
    raw,
    toDateTime64OrNull(nullIf(emitted_at, ''), 6, 'UTC') AS emitted_at,
    toTimeZone(if(timestamp_ms < 0, now64(3), fromUnixTimestamp64Milli(timestamp_ms)), 'UTC') AS _timestamp
FROM stg.device_queue;

-- tier: service
-- One row per message received.
CREATE MATERIALIZED VIEW IF NOT EXISTS stg.geo_mv ON CLUSTER 'events' TO stg.geo_raw AS
SELECT
    epoch,
    'geo_events' AS _topic,
    _partition,
    _offset,
    _key,
    raw,
    toDateTime64OrNull(nullIf(emitted_at, ''), 6, 'UTC') AS emitted_at,
    toTimeZone(if(timestamp_ms < 0, now64(3), fromUnixTimestamp64Milli(timestamp_ms)), 'UTC') AS _timestamp
FROM stg.geo_queue;

-- tier: service
-- One row per message received.
CREATE MATERIALIZED VIEW IF NOT EXISTS stg.location_mv ON CLUSTER 'events' TO stg.location_raw AS
SELECT
    epoch,
    'location_events' AS _topic,
    _partition,
    _offset,
    _key,
    raw,
    toDateTime64OrNull(nullIf(emitted_at, ''), 6, 'UTC') AS emitted_at,
    toTimeZone(if(timestamp_ms < 0, now64(3), fromUnixTimestamp64Milli(timestamp_ms)), 'UTC') AS _timestamp
FROM stg.location_queue;

-- tier: all
-- Registers epochs that `stg.epoch` lacks: a generator starts epochs by itself.
-- Skips 0 and epochs more than five minutes ahead of this clock, which would stay the latest; a later message
-- registers those.
CREATE MATERIALIZED VIEW IF NOT EXISTS stg.browser_epoch_mv ON CLUSTER 'events' TO stg.epoch AS
SELECT DISTINCT epoch, 'first message' AS reason
FROM stg.browser_raw
WHERE epoch BETWEEN 1 AND toUnixTimestamp64Milli(now64(3) + INTERVAL 5 MINUTE)
    AND epoch NOT IN (SELECT epoch FROM stg.epoch);

-- tier: all
-- Registers epochs that `stg.epoch` lacks: a generator starts epochs by itself.
-- Skips 0 and epochs more than five minutes ahead of this clock, which would stay the latest; a later message
-- registers those.
CREATE MATERIALIZED VIEW IF NOT EXISTS stg.device_epoch_mv ON CLUSTER 'events' TO stg.epoch AS
SELECT DISTINCT epoch, 'first message' AS reason
FROM stg.device_raw
WHERE epoch BETWEEN 1 AND toUnixTimestamp64Milli(now64(3) + INTERVAL 5 MINUTE)
    AND epoch NOT IN (SELECT epoch FROM stg.epoch);

-- tier: all
-- Registers epochs that `stg.epoch` lacks: a generator starts epochs by itself.
-- Skips 0 and epochs more than five minutes ahead of this clock, which would stay the latest; a later message
-- registers those.
CREATE MATERIALIZED VIEW IF NOT EXISTS stg.geo_epoch_mv ON CLUSTER 'events' TO stg.epoch AS
SELECT DISTINCT epoch, 'first message' AS reason
FROM stg.geo_raw
WHERE epoch BETWEEN 1 AND toUnixTimestamp64Milli(now64(3) + INTERVAL 5 MINUTE)
    AND epoch NOT IN (SELECT epoch FROM stg.epoch);

-- tier: all
-- Registers epochs that `stg.epoch` lacks: a generator starts epochs by itself.
-- Skips 0 and epochs more than five minutes ahead of this clock, which would stay the latest; a later message
-- registers those.
CREATE MATERIALIZED VIEW IF NOT EXISTS stg.location_epoch_mv ON CLUSTER 'events' TO stg.epoch AS
SELECT DISTINCT epoch, 'first message' AS reason
FROM stg.location_raw
WHERE epoch BETWEEN 1 AND toUnixTimestamp64Milli(now64(3) + INTERVAL 5 MINUTE)
    AND epoch NOT IN (SELECT epoch FROM stg.epoch);

-- tier: all
-- One row per load and broker partition: its offsets (offset_from, offset_to]. load_id is the number of
-- load_ods's lease (stg.lease). The row is written before the load's rows, so that an interrupted load can be
-- found and undone.
CREATE TABLE IF NOT EXISTS ods.load_range ON CLUSTER 'events'
(
    load_id     UInt64,
    stream      LowCardinality(String),
    epoch       UInt64,
    _partition  Int32,
    offset_from Int64,
    offset_to   Int64,
    planned_at  DateTime64(6, 'UTC') DEFAULT now64(6, 'UTC')
)
ENGINE = ReplicatedMergeTree
ORDER BY (load_id, stream, epoch, _partition);

-- One row per finished load, whose offsets are the watermark of the next one. Other loads' rows in ods do not
-- count.
CREATE TABLE IF NOT EXISTS ods.load_commit ON CLUSTER 'events'
(
    load_id      UInt64,
    committed_at DateTime64(6, 'UTC') DEFAULT now64(6, 'UTC')
)
ENGINE = ReplicatedMergeTree
ORDER BY load_id;

-- tier: all
-- One row per typed browser message; key (epoch, partition, offset) of its raw row.
CREATE TABLE IF NOT EXISTS ods.browser_event ON CLUSTER 'events'
(
    event_id           UUID,
    click_id           UUID,
    event_type         LowCardinality(String),
    browser_name       LowCardinality(String),
    browser_user_agent LowCardinality(String),
    browser_language   LowCardinality(String),
    event_timestamp    DateTime64(6, 'UTC'),
    markers            Array(LowCardinality(String)),
    epoch              UInt64,
    _topic             LowCardinality(String),
    _partition         Int32,
    _offset            Int64,
    _timestamp         DateTime64(3, 'UTC'),
    emitted_at         Nullable(DateTime64(6, 'UTC')),
    ingested_at        DateTime64(6, 'UTC'),
    load_id            UInt64,
    INDEX event_id_bloom event_id TYPE bloom_filter(0.001) GRANULARITY 1,
    INDEX click_id_bloom click_id TYPE bloom_filter(0.001) GRANULARITY 1,
    INDEX load_id_range load_id TYPE minmax GRANULARITY 1
)
ENGINE = ReplicatedMergeTree
ORDER BY (epoch, _partition, _offset);

-- tier: all
-- One row per typed device message; key (epoch, partition, offset) of its raw row.
CREATE TABLE IF NOT EXISTS ods.device_event ON CLUSTER 'events'
(
    click_id         UUID,
    user_domain_id   Nullable(UUID),
    user_custom_id   String,
    os               LowCardinality(String),
    os_name          LowCardinality(String),
    os_timezone      LowCardinality(String),
    device_type      LowCardinality(String),
    device_is_mobile Nullable(Bool),
    markers          Array(LowCardinality(String)),
    epoch            UInt64,
    _topic           LowCardinality(String),
    _partition       Int32,
    _offset          Int64,
    _timestamp       DateTime64(3, 'UTC'),
    emitted_at       Nullable(DateTime64(6, 'UTC')),
    ingested_at      DateTime64(6, 'UTC'),
    load_id          UInt64,
    INDEX load_id_range load_id TYPE minmax GRANULARITY 1
)
ENGINE = ReplicatedMergeTree
ORDER BY (epoch, _partition, _offset);

-- tier: all
-- One row per typed geo message; key (epoch, partition, offset) of its raw row.
CREATE TABLE IF NOT EXISTS ods.geo_event ON CLUSTER 'events'
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
ENGINE = ReplicatedMergeTree
ORDER BY (epoch, _partition, _offset);

-- tier: all
-- One row per typed location message; key (epoch, partition, offset) of its raw row.
CREATE TABLE IF NOT EXISTS ods.location_event ON CLUSTER 'events'
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
    INDEX event_id_bloom event_id TYPE bloom_filter(0.001) GRANULARITY 1,
    INDEX load_id_range load_id TYPE minmax GRANULARITY 1
)
ENGINE = ReplicatedMergeTree
ORDER BY (epoch, _partition, _offset);

-- tier: all
-- One row per browser message with at least one marker; key as in ods.browser_event.
-- is_typed: the message is also in ods.browser_event. A record may have several markers.
CREATE TABLE IF NOT EXISTS ods.browser_event_errors ON CLUSTER 'events'
(
    error_reason String,
    markers      Array(LowCardinality(String)),
    is_typed     Bool,
    raw          String CODEC(ZSTD(1)),
    epoch        UInt64,
    _topic       LowCardinality(String),
    _partition   Int32,
    _offset      Int64,
    _key         String,
    _timestamp   DateTime64(3, 'UTC'),
    emitted_at   Nullable(DateTime64(6, 'UTC')),
    ingested_at  DateTime64(6, 'UTC'),
    load_id      UInt64
)
ENGINE = ReplicatedMergeTree
ORDER BY (epoch, _partition, _offset);

-- tier: all
-- One row per device message with at least one marker; key as in ods.device_event.
-- is_typed: the message is also in ods.device_event. A record may have several markers.
CREATE TABLE IF NOT EXISTS ods.device_event_errors ON CLUSTER 'events'
(
    error_reason String,
    markers      Array(LowCardinality(String)),
    is_typed     Bool,
    raw          String CODEC(ZSTD(1)),
    epoch        UInt64,
    _topic       LowCardinality(String),
    _partition   Int32,
    _offset      Int64,
    _key         String,
    _timestamp   DateTime64(3, 'UTC'),
    emitted_at   Nullable(DateTime64(6, 'UTC')),
    ingested_at  DateTime64(6, 'UTC'),
    load_id      UInt64
)
ENGINE = ReplicatedMergeTree
ORDER BY (epoch, _partition, _offset);

-- tier: all
-- One row per geo message with at least one marker; key as in ods.geo_event.
-- is_typed: the message is also in ods.geo_event. A record may have several markers.
CREATE TABLE IF NOT EXISTS ods.geo_event_errors ON CLUSTER 'events'
(
    error_reason String,
    markers      Array(LowCardinality(String)),
    is_typed     Bool,
    raw          String CODEC(ZSTD(1)),
    epoch        UInt64,
    _topic       LowCardinality(String),
    _partition   Int32,
    _offset      Int64,
    _key         String,
    _timestamp   DateTime64(3, 'UTC'),
    emitted_at   Nullable(DateTime64(6, 'UTC')),
    ingested_at  DateTime64(6, 'UTC'),
    load_id      UInt64
)
ENGINE = ReplicatedMergeTree
ORDER BY (epoch, _partition, _offset);

-- tier: all
-- One row per location message with at least one marker; key as in ods.location_event.
-- is_typed: the message is also in ods.location_event. A record may have several markers.
CREATE TABLE IF NOT EXISTS ods.location_event_errors ON CLUSTER 'events'
(
    error_reason String,
    markers      Array(LowCardinality(String)),
    is_typed     Bool,
    raw          String CODEC(ZSTD(1)),
    epoch        UInt64,
    _topic       LowCardinality(String),
    _partition   Int32,
    _offset      Int64,
    _key         String,
    _timestamp   DateTime64(3, 'UTC'),
    emitted_at   Nullable(DateTime64(6, 'UTC')),
    ingested_at  DateTime64(6, 'UTC'),
    load_id      UInt64
)
ENGINE = ReplicatedMergeTree
ORDER BY (epoch, _partition, _offset);

-- tier: all
-- Feeds each browser message, parsed once, to ods.browser_event and ods.browser_event_errors.
CREATE TABLE IF NOT EXISTS ods.browser_parsed ON CLUSTER 'events'
(
    is_typed           Bool,
    raw                String,
    _key               String,
    event_id           Nullable(UUID),
    click_id           Nullable(UUID),
    event_type         LowCardinality(String),
    browser_name       LowCardinality(String),
    browser_user_agent LowCardinality(String),
    browser_language   LowCardinality(String),
    event_timestamp    Nullable(DateTime64(6, 'UTC')),
    markers            Array(LowCardinality(String)),
    epoch              UInt64,
    _topic             LowCardinality(String),
    _partition         Int32,
    _offset            Int64,
    _timestamp         DateTime64(3, 'UTC'),
    emitted_at         Nullable(DateTime64(6, 'UTC')),
    ingested_at        DateTime64(6, 'UTC'),
    load_id            UInt64
)
ENGINE = Null;

-- tier: all
-- Feeds each device message, parsed once, to ods.device_event and ods.device_event_errors.
CREATE TABLE IF NOT EXISTS ods.device_parsed ON CLUSTER 'events'
(
    is_typed         Bool,
    raw              String,
    _key             String,
    click_id         Nullable(UUID),
    user_domain_id   Nullable(UUID),
    user_custom_id   String,
    os               LowCardinality(String),
    os_name          LowCardinality(String),
    os_timezone      LowCardinality(String),
    device_type      LowCardinality(String),
    device_is_mobile Nullable(Bool),
    markers          Array(LowCardinality(String)),
    epoch            UInt64,
    _topic           LowCardinality(String),
    _partition       Int32,
    _offset          Int64,
    _timestamp       DateTime64(3, 'UTC'),
    emitted_at       Nullable(DateTime64(6, 'UTC')),
    ingested_at      DateTime64(6, 'UTC'),
    load_id          UInt64
)
ENGINE = Null;

-- tier: all
-- Feeds each geo message, parsed once, to ods.geo_event and ods.geo_event_errors.
CREATE TABLE IF NOT EXISTS ods.geo_parsed ON CLUSTER 'events'
(
    is_typed        Bool,
    raw             String,
    _key            String,
    click_id        Nullable(UUID),
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
    load_id         UInt64
)
ENGINE = Null;

-- tier: all
-- Feeds each location message, parsed once, to ods.location_event and ods.location_event_errors.
CREATE TABLE IF NOT EXISTS ods.location_parsed ON CLUSTER 'events'
(
    is_typed       Bool,
    raw            String,
    _key           String,
    event_id       Nullable(UUID),
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
    load_id        UInt64
)
ENGINE = Null;

-- tier: all
-- Typed messages of ods.browser_parsed.
CREATE MATERIALIZED VIEW IF NOT EXISTS ods.browser_event_mv ON CLUSTER 'events' TO ods.browser_event AS
SELECT
    assumeNotNull(event_id) AS event_id,
    assumeNotNull(click_id) AS click_id,
    event_type,
    browser_name,
    browser_user_agent,
    browser_language,
    assumeNotNull(event_timestamp) AS event_timestamp,
    markers,
    epoch,
    _topic,
    _partition,
    _offset,
    _timestamp,
    emitted_at,
    ingested_at,
    load_id
FROM ods.browser_parsed
WHERE is_typed;

-- tier: all
-- Typed messages of ods.device_parsed.
CREATE MATERIALIZED VIEW IF NOT EXISTS ods.device_event_mv ON CLUSTER 'events' TO ods.device_event AS
SELECT
    assumeNotNull(click_id) AS click_id,
    user_domain_id,
    user_custom_id,
    os,
    os_name,
    os_timezone,
    device_type,
    device_is_mobile,
    markers,
    epoch,
    _topic,
    _partition,
    _offset,
    _timestamp,
    emitted_at,
    ingested_at,
    load_id
FROM ods.device_parsed
WHERE is_typed;

-- tier: all
-- Typed messages of ods.geo_parsed.
CREATE MATERIALIZED VIEW IF NOT EXISTS ods.geo_event_mv ON CLUSTER 'events' TO ods.geo_event AS
SELECT
    assumeNotNull(click_id) AS click_id,
    geo_country,
    geo_timezone,
    geo_region_name,
    ip_address,
    geo_latitude,
    geo_longitude,
    markers,
    epoch,
    _topic,
    _partition,
    _offset,
    _timestamp,
    emitted_at,
    ingested_at,
    load_id
FROM ods.geo_parsed
WHERE is_typed;

-- tier: all
-- Typed messages of ods.location_parsed.
CREATE MATERIALIZED VIEW IF NOT EXISTS ods.location_event_mv ON CLUSTER 'events' TO ods.location_event AS
SELECT
    assumeNotNull(event_id) AS event_id,
    page_url,
    page_url_path,
    referer_url,
    referer_medium,
    utm_medium,
    utm_source,
    utm_content,
    utm_campaign,
    markers,
    epoch,
    _topic,
    _partition,
    _offset,
    _timestamp,
    emitted_at,
    ingested_at,
    load_id
FROM ods.location_parsed
WHERE is_typed;

-- tier: all
-- Marked messages of ods.browser_parsed.
CREATE MATERIALIZED VIEW IF NOT EXISTS ods.browser_event_errors_mv ON CLUSTER 'events' TO ods.browser_event_errors AS
SELECT
    arrayStringConcat(markers, ',') AS error_reason,
    markers,
    is_typed,
    raw,
    epoch,
    _topic,
    _partition,
    _offset,
    _key,
    _timestamp,
    emitted_at,
    ingested_at,
    load_id
FROM ods.browser_parsed
WHERE notEmpty(markers);

-- tier: all
-- Marked messages of ods.device_parsed.
CREATE MATERIALIZED VIEW IF NOT EXISTS ods.device_event_errors_mv ON CLUSTER 'events' TO ods.device_event_errors AS
SELECT
    arrayStringConcat(markers, ',') AS error_reason,
    markers,
    is_typed,
    raw,
    epoch,
    _topic,
    _partition,
    _offset,
    _key,
    _timestamp,
    emitted_at,
    ingested_at,
    load_id
FROM ods.device_parsed
WHERE notEmpty(markers);

-- tier: all
-- Marked messages of ods.geo_parsed.
CREATE MATERIALIZED VIEW IF NOT EXISTS ods.geo_event_errors_mv ON CLUSTER 'events' TO ods.geo_event_errors AS
SELECT
    arrayStringConcat(markers, ',') AS error_reason,
    markers,
    is_typed,
    raw,
    epoch,
    _topic,
    _partition,
    _offset,
    _key,
    _timestamp,
    emitted_at,
    ingested_at,
    load_id
FROM ods.geo_parsed
WHERE notEmpty(markers);

-- tier: all
-- Marked messages of ods.location_parsed.
CREATE MATERIALIZED VIEW IF NOT EXISTS ods.location_event_errors_mv ON CLUSTER 'events' TO ods.location_event_errors AS
SELECT
    arrayStringConcat(markers, ',') AS error_reason,
    markers,
    is_typed,
    raw,
    epoch,
    _topic,
    _partition,
    _offset,
    _key,
    _timestamp,
    emitted_at,
    ingested_at,
    load_id
FROM ods.location_parsed
WHERE notEmpty(markers);

-- tier: all
-- One row per finished load of dds: every ods load up to load_id is integrated. lease_id: lease of the
-- load_dds run (stg.lease), which identifies this version of dds.
CREATE TABLE IF NOT EXISTS dds.load_commit ON CLUSTER 'events'
(
    load_id      UInt64,
    lease_id     UInt64,
    committed_at DateTime64(6, 'UTC') DEFAULT now64(6, 'UTC')
)
ENGINE = ReplicatedMergeTree
ORDER BY load_id;

-- tier: all
-- One row per page event; key event_id. The first message of the latest epoch wins. duplicates: further
-- messages of the winning epoch; superseded: messages of older epochs. is_rewritten: a previous load also
-- wrote the event.
CREATE TABLE IF NOT EXISTS dds.event ON CLUSTER 'events'
(
    event_id           UUID,
    click_id           UUID,
    event_type         LowCardinality(String),
    browser_name       LowCardinality(String),
    browser_user_agent LowCardinality(String),
    browser_language   LowCardinality(String),
    page_url           LowCardinality(String),
    page_url_path      LowCardinality(String),
    referer_url        LowCardinality(String),
    referer_medium     LowCardinality(String),
    utm_medium         LowCardinality(String),
    utm_source         LowCardinality(String),
    utm_content        LowCardinality(String),
    utm_campaign       LowCardinality(String),
    markers            Array(LowCardinality(String)),
    duplicates         UInt32,
    superseded         UInt32,
    is_rewritten       Bool,
    event_timestamp    DateTime64(6, 'UTC'),
    load_id            UInt64,
    INDEX event_id_bloom event_id TYPE bloom_filter(0.001) GRANULARITY 1,
    INDEX load_id_range load_id TYPE minmax GRANULARITY 1
)
ENGINE = ReplicatedMergeTree
PARTITION BY toStartOfMonth(event_timestamp)
ORDER BY (click_id, event_timestamp, event_id);

-- tier: all
-- One row per session in the browser, device or geo stream; key click_id. is_rewritten: a previous load also
-- wrote the session.
CREATE TABLE IF NOT EXISTS dds.click ON CLUSTER 'events'
(
    click_id         UUID,
    user_domain_id   Nullable(UUID),
    user_custom_id   String,
    os               LowCardinality(String),
    os_name          LowCardinality(String),
    os_timezone      LowCardinality(String),
    device_type      LowCardinality(String),
    geo_country      LowCardinality(String),
    geo_timezone     LowCardinality(String),
    geo_region_name  LowCardinality(String),
    ip_address       String,
    markers          Array(LowCardinality(String)),
    geo_latitude     Nullable(Float64),
    geo_longitude    Nullable(Float64),
    device_is_mobile Nullable(Bool),
    is_rewritten     Bool,
    load_id          UInt64,
    INDEX load_id_range load_id TYPE minmax GRANULARITY 1
)
ENGINE = ReplicatedMergeTree
ORDER BY click_id;

-- tier: all
-- One row per check of the link dds.event -> dds.click; the gate before dm reads the latest row. lease_id:
-- the checked commit of dds (dds.load_commit).
CREATE TABLE IF NOT EXISTS dds.integrity_check ON CLUSTER 'events'
(
    load_id       UInt64,
    lease_id      UInt64,
    events        UInt64,
    clicks        UInt64,
    orphan_events UInt64,
    checked_at    DateTime64(6, 'UTC') DEFAULT now64(6, 'UTC')
)
ENGINE = ReplicatedMergeTree
ORDER BY checked_at;

-- tier: all
-- Scratch of load_dds: ids that older messages share with new ones, and ids written by an interrupted load.
-- Rows of `event` and `click` are rewritten; rows that are only in `known_click` are kept.
CREATE TABLE IF NOT EXISTS dds.work_touched ON CLUSTER 'events'
(
    kind LowCardinality(String),
    id   UUID
)
ENGINE = ReplicatedMergeTree
ORDER BY kind;

-- Scratch of load_dds: ids with several messages in one stream, and the winning message.
CREATE TABLE IF NOT EXISTS dds.work_repeated ON CLUSTER 'events'
(
    stream     LowCardinality(String),
    id         UUID,
    epoch      UInt64,
    _partition Int32,
    _offset    Int64,
    duplicates UInt32,
    superseded UInt32
)
ENGINE = ReplicatedMergeTree
ORDER BY stream;

-- Scratch of load_dds: the loads of ods to integrate, (from_load, to_load]; one row.
CREATE TABLE IF NOT EXISTS dds.work_range ON CLUSTER 'events'
(
    from_load UInt64,
    to_load   UInt64
)
ENGINE = ReplicatedMergeTree
ORDER BY tuple();

-- tier: all
-- Browser rows for load_dds: the new ones, and older ones that share an id with them.
CREATE VIEW IF NOT EXISTS dds.browser_candidate ON CLUSTER 'events' AS
SELECT *
FROM ods.browser_event
WHERE load_id > (SELECT max(from_load) FROM dds.work_range)
    AND load_id <= (SELECT max(to_load) FROM dds.work_range)
UNION ALL
SELECT *
FROM ods.browser_event
WHERE load_id <= (SELECT max(from_load) FROM dds.work_range)
    AND event_id IN (SELECT id FROM dds.work_touched WHERE kind = 'event');

-- tier: all
-- Device rows for load_dds: the new ones, and older ones that share an id with them.
CREATE VIEW IF NOT EXISTS dds.device_candidate ON CLUSTER 'events' AS
SELECT *
FROM ods.device_event
WHERE load_id > (SELECT max(from_load) FROM dds.work_range)
    AND load_id <= (SELECT max(to_load) FROM dds.work_range)
UNION ALL
SELECT *
FROM ods.device_event
WHERE load_id <= (SELECT max(from_load) FROM dds.work_range)
    AND click_id IN (SELECT id FROM dds.work_touched WHERE kind = 'click');

-- tier: all
-- Geo rows for load_dds: the new ones, and older ones that share an id with them.
CREATE VIEW IF NOT EXISTS dds.geo_candidate ON CLUSTER 'events' AS
SELECT *
FROM ods.geo_event
WHERE load_id > (SELECT max(from_load) FROM dds.work_range)
    AND load_id <= (SELECT max(to_load) FROM dds.work_range)
UNION ALL
SELECT *
FROM ods.geo_event
WHERE load_id <= (SELECT max(from_load) FROM dds.work_range)
    AND click_id IN (SELECT id FROM dds.work_touched WHERE kind = 'click');

-- tier: all
-- Location rows for load_dds: the new ones, and older ones that share an id with them.
CREATE VIEW IF NOT EXISTS dds.location_candidate ON CLUSTER 'events' AS
SELECT *
FROM ods.location_event
WHERE load_id > (SELECT max(from_load) FROM dds.work_range)
    AND load_id <= (SELECT max(to_load) FROM dds.work_range)
UNION ALL
SELECT *
FROM ods.location_event
WHERE load_id <= (SELECT max(from_load) FROM dds.work_range)
    AND event_id IN (SELECT id FROM dds.work_touched WHERE kind = 'event');

-- tier: all
-- One row per finished load of a dm table: every load of dds up to load_id is in it.
-- funnel: of the load of dm.session. lease_id: the lease of its step (stg.lease).
CREATE TABLE IF NOT EXISTS dm_internal.load_commit ON CLUSTER 'events'
(
    target       LowCardinality(String),
    load_id      UInt64,
    lease_id     UInt64,
    funnel       String,
    committed_at DateTime64(6, 'UTC') DEFAULT now64(6, 'UTC')
)
ENGINE = ReplicatedMergeTree
ORDER BY (target, load_id);

-- tier: all
-- One row per page event with the facts of its session; key event_id. Small granules, because dashboards
-- filter by hour and day.
CREATE TABLE IF NOT EXISTS dm.event_enriched ON CLUSTER 'events'
(
    event_id           UUID,
    click_id           UUID,
    user_domain_id     Nullable(UUID),
    user_custom_id     Nullable(String),
    event_type         LowCardinality(String),
    browser_name       LowCardinality(String),
    browser_user_agent LowCardinality(String),
    browser_language   LowCardinality(String),
    page_url           LowCardinality(String),
    page_url_path      LowCardinality(String),
    referer_url        LowCardinality(String),
    referer_medium     LowCardinality(String),
    utm_medium         LowCardinality(String),
    utm_source         LowCardinality(String),
    utm_content        LowCardinality(String),
    utm_campaign       LowCardinality(String),
    os                 LowCardinality(String),
    os_name            LowCardinality(String),
    os_timezone        LowCardinality(String),
    device_type        LowCardinality(String),
    geo_country        LowCardinality(String),
    geo_timezone       LowCardinality(String),
    geo_region_name    LowCardinality(String),
    ip_address         String,
    event_markers      Array(LowCardinality(String)),
    click_markers      Array(LowCardinality(String)),
    geo_latitude       Nullable(Float64),
    geo_longitude      Nullable(Float64),
    device_is_mobile   Nullable(Bool),
    event_date         Date,
    event_timestamp    DateTime64(6, 'UTC'),
    INDEX event_id_bloom event_id TYPE bloom_filter(0.001) GRANULARITY 8,
    INDEX click_id_bloom click_id TYPE bloom_filter(0.001) GRANULARITY 8,
    INDEX time_range (event_date, event_timestamp) TYPE minmax GRANULARITY 1
)
ENGINE = ReplicatedMergeTree
PARTITION BY toStartOfMonth(event_timestamp)
ORDER BY (toStartOfHour(event_timestamp, 'UTC'), click_id, event_timestamp, event_id)
SETTINGS index_granularity = 1024;

-- tier: all
-- Scratch of load_dm_events: changed rows before they move to dm.event_enriched.
CREATE TABLE IF NOT EXISTS dm_internal.event_enriched_build ON CLUSTER 'events' AS dm.event_enriched;

-- tier: all
-- One row per session with at least one event; key click_id.
-- clock: 'ahead' if every event is stamped later than it was sent, so that its times are wrong; else 'right'.
-- funnel_stage: number of the furthest stage with a page of the session; 0 none.
-- channel: from the campaign's medium, without a campaign from the class of the referrer.
-- engaged_seconds: between successive page events, each gap at most the parameter idle_after_seconds.
-- experiment_variant: the parameter exp of the page URLs; empty without an experiment.
-- session_number: among the visitor's sessions by started_at; NULL without a visitor or if clock is 'ahead'.
CREATE TABLE IF NOT EXISTS dm.session ON CLUSTER 'events'
(
    click_id           UUID,
    user_domain_id     Nullable(UUID),
    user_custom_id     Nullable(String),
    entry_page         LowCardinality(String),
    exit_page          LowCardinality(String),
    referer_medium     LowCardinality(String),
    utm_medium         LowCardinality(String),
    utm_source         LowCardinality(String),
    utm_campaign       LowCardinality(String),
    channel            LowCardinality(String),
    browser_name       LowCardinality(String),
    os_name            LowCardinality(String),
    device_type        LowCardinality(String),
    geo_country        LowCardinality(String),
    geo_region_name    LowCardinality(String),
    experiment_variant LowCardinality(String),
    clock              LowCardinality(String) DEFAULT 'right',
    page_events        UInt32,
    purchases          UInt32,
    funnel_stage       UInt8,
    session_number     Nullable(UInt32),
    duration_seconds   Float64,
    engaged_seconds    Float64,
    is_registered      Bool,
    is_mobile          Nullable(Bool),
    is_new             Nullable(Bool),
    has_purchase       Bool,
    stages_reached     Array(LowCardinality(String)),
    stages_seen        Array(LowCardinality(String)),
    is_bounce          Bool,
    session_date       Date,
    started_at         DateTime64(6, 'UTC'),
    ended_at           DateTime64(6, 'UTC'),
    INDEX click_id_bloom click_id TYPE bloom_filter(0.001) GRANULARITY 8,
    INDEX time_range (session_date, started_at) TYPE minmax GRANULARITY 1
)
ENGINE = ReplicatedMergeTree
PARTITION BY toStartOfMonth(started_at)
ORDER BY (toStartOfHour(started_at, 'UTC'), click_id)
SETTINGS index_granularity = 1024;

-- tier: all
-- Scratch of load_dm_sessions: changed rows before they move to dm.session.
CREATE TABLE IF NOT EXISTS dm_internal.session_build ON CLUSTER 'events' AS dm.session;

-- tier: all
-- One row per page event with its place in the session; key event_id. Events of a fast clock come after the
-- others of their session and have no time on page, unless the session has no others.
CREATE TABLE IF NOT EXISTS dm.page_view ON CLUSTER 'events'
(
    event_id             UUID,
    click_id             UUID,
    user_custom_id       Nullable(String),
    page_url_path        LowCardinality(String),
    previous_page        LowCardinality(String),
    next_page            LowCardinality(String),
    event_type           LowCardinality(String),
    channel              LowCardinality(String),
    device_type          LowCardinality(String),
    geo_country          LowCardinality(String),
    clock                LowCardinality(String) DEFAULT 'right',
    page_number          UInt32,
    page_stage           UInt8,
    time_on_page_seconds Nullable(Float64),
    is_registered        Bool,
    is_entry             Bool,
    is_exit              Bool,
    session_date         Date,
    event_date           Date,
    event_timestamp      DateTime64(6, 'UTC'),
    INDEX click_id_bloom click_id TYPE bloom_filter(0.001) GRANULARITY 8,
    INDEX time_range (session_date, event_date, event_timestamp) TYPE minmax GRANULARITY 1
)
ENGINE = ReplicatedMergeTree
PARTITION BY toStartOfMonth(event_timestamp)
ORDER BY (toStartOfHour(event_timestamp, 'UTC'), click_id, event_timestamp, event_id)
SETTINGS index_granularity = 1024;

-- Scratch of load_dm_sessions: changed rows before they move to dm.page_view.
CREATE TABLE IF NOT EXISTS dm_internal.page_view_build ON CLUSTER 'events' AS dm.page_view;

-- tier: all
-- One row per visitor with a session; key user_custom_id. Counts include all sessions. First and last ignore
-- sessions of a clock that is ahead, unless there are no others: then clock is 'ahead'.
-- user_domain_id: the account of the latest session that names one.
CREATE TABLE IF NOT EXISTS dm.visitor ON CLUSTER 'events'
(
    user_custom_id     String,
    user_domain_id     Nullable(UUID),
    first_channel      LowCardinality(String),
    first_utm_source   LowCardinality(String),
    first_utm_campaign LowCardinality(String),
    first_entry_page   LowCardinality(String),
    last_channel       LowCardinality(String),
    last_utm_source    LowCardinality(String),
    last_utm_campaign  LowCardinality(String),
    last_entry_page    LowCardinality(String),
    clock              LowCardinality(String) DEFAULT 'right',
    sessions           UInt32,
    page_events        UInt32,
    purchases          UInt32,
    is_registered      Bool,
    first_date         Date,
    first_seen         DateTime64(6, 'UTC'),
    last_seen          DateTime64(6, 'UTC')
)
ENGINE = ReplicatedMergeTree
ORDER BY user_custom_id;

-- Scratch of load_dm_visitors: changed rows before they move to dm.visitor.
CREATE TABLE IF NOT EXISTS dm_internal.visitor_build ON CLUSTER 'events' AS dm.visitor;

-- tier: all
-- Scratch of load_dm: ids of changed rows, in a table because a DELETE evaluates its condition once per part.
CREATE TABLE IF NOT EXISTS dm_internal.work_previous ON CLUSTER 'events'
(
    id UUID
)
ENGINE = ReplicatedMergeTree
ORDER BY tuple();

-- tier: all
-- Visitors who lose a session that load_dm_sessions replaces. Rows stay until load_dm_visitors commits,
-- because dm.session no longer has them after an interruption.
CREATE TABLE IF NOT EXISTS dm_internal.previous_visitor ON CLUSTER 'events'
(
    user_custom_id String
)
ENGINE = ReplicatedMergeTree
ORDER BY tuple();

-- Scratch of load_dm: visitors with a changed session.
CREATE TABLE IF NOT EXISTS dm_internal.work_visitor ON CLUSTER 'events'
(
    user_custom_id String
)
ENGINE = ReplicatedMergeTree
ORDER BY tuple();

-- Scratch of load_dm_sessions: sessions of those visitors with their numbers.
CREATE TABLE IF NOT EXISTS dm_internal.work_number ON CLUSTER 'events'
(
    click_id       UUID,
    session_number UInt32
)
ENGINE = ReplicatedMergeTree
ORDER BY click_id;

-- tier: all
-- One row per layer, entity and metric, of the last load: row counts, markers, duplicates and orphan_events.
CREATE TABLE IF NOT EXISTS dm.dq_summary ON CLUSTER 'events'
(
    layer       LowCardinality(String),
    entity      LowCardinality(String),
    metric      LowCardinality(String),
    value       UInt64,
    computed_at DateTime64(6, 'UTC') DEFAULT now64(6, 'UTC')
)
ENGINE = ReplicatedMergeTree
ORDER BY (layer, entity, metric);

-- Scratch of load_dm_summary, exchanged with dm.dq_summary when complete.
CREATE TABLE IF NOT EXISTS dm_internal.dq_summary_build ON CLUSTER 'events' AS dm.dq_summary;

-- tier: all
-- The states of dm.dq_summary that load_dm_summary has committed, by the number of its lease. A run that is killed right
-- after its commit leaves none. Rows are appended and never change, so the table shows how quality developed.
-- `ddl --rebuild dm` empties it: no layer below holds earlier states.
CREATE TABLE IF NOT EXISTS dm.dq_summary_log ON CLUSTER 'events'
(
    lease_id    UInt64,
    layer       LowCardinality(String),
    entity      LowCardinality(String),
    metric      LowCardinality(String),
    value       UInt64,
    computed_at DateTime64(6, 'UTC')
)
ENGINE = ReplicatedMergeTree
PARTITION BY toStartOfMonth(computed_at)
ORDER BY (lease_id, layer, entity, metric);

-- tier: all
-- One row: the hours and days that are complete, without events of a clock that is ahead; 1970 without events.
CREATE TABLE IF NOT EXISTS dm.complete_period ON CLUSTER 'events'
(
    whole_hours_from  DateTime('UTC'),
    whole_hours_until DateTime('UTC'),
    last_complete_day Date
)
ENGINE = ReplicatedMergeTree
ORDER BY tuple();

-- Scratch of load_dm_summary, exchanged with dm.complete_period when complete.
CREATE TABLE IF NOT EXISTS dm_internal.complete_period_build ON CLUSTER 'events' AS dm.complete_period;

-- tier: all
-- One row per published effect of the generated history: what is true beside its estimate from the marts. Empty if the
-- generator published no truth, or the latest epoch has several sources.
CREATE TABLE IF NOT EXISTS dm.truth ON CLUSTER 'events'
(
    position UInt32,
    effect   String,
    segment  String,
    truth    Float64,
    estimate Float64,
    low      Float64,
    high     Float64,
    sessions UInt64,
    verdict  LowCardinality(String)
)
ENGINE = ReplicatedMergeTree
ORDER BY position;

-- Scratch of load_dm_summary, exchanged with dm.truth when complete.
CREATE TABLE IF NOT EXISTS dm_internal.truth_build ON CLUSTER 'events' AS dm.truth;

-- Scratch of load_dm_summary: the published effects of the only source. minus: segment from which the effect is the
-- difference, else empty; window: its sessions begin in it; history: other sessions do not count for their numbers.
CREATE TABLE IF NOT EXISTS dm_internal.work_effect ON CLUSTER 'events'
(
    position      UInt32,
    counted       String,
    measure       String,
    dimension     String,
    segment       String,
    minus         String,
    truth         Float64,
    history_from  DateTime64(6, 'UTC'),
    history_until DateTime64(6, 'UTC'),
    window_from   DateTime64(6, 'UTC'),
    window_until  DateTime64(6, 'UTC')
)
ENGINE = ReplicatedMergeTree
ORDER BY position;

-- Scratch of load_dm_summary: one row per window, outcome and segment with its sessions.
CREATE TABLE IF NOT EXISTS dm_internal.work_outcome ON CLUSTER 'events'
(
    window_from DateTime64(6, 'UTC'),
    counted     LowCardinality(String),
    measure     LowCardinality(String),
    dimension   LowCardinality(String),
    segment     String,
    sessions    UInt64,
    hits        UInt64
)
ENGINE = ReplicatedMergeTree
ORDER BY tuple();

-- tier: all
-- Last state of dm.dq_summary on each UTC day of computation, with the change since the previous day that has the
-- metric. A marker that no row has is no metric of the day.
CREATE VIEW IF NOT EXISTS dm.v_dq_summary_daily ON CLUSTER 'events' AS
WITH
    state AS
    (
        SELECT lease_id, toDate(max(computed_at), 'UTC') AS computed_date
        FROM dm.dq_summary_log
        GROUP BY lease_id
    ),
    last_state AS
    (
        SELECT computed_date, max(lease_id) AS lease_id
        FROM state
        GROUP BY computed_date
    )
SELECT
    computed_date,
    layer,
    entity,
    metric,
    value,
    value - lagInFrame(toNullable(toInt64(value))) OVER (PARTITION BY layer, entity, metric ORDER BY computed_date) AS change
FROM dm.dq_summary_log
INNER JOIN last_state ON dq_summary_log.lease_id = last_state.lease_id;

-- tier: all
-- One row per page event for BI; key event_id. A filter by event_timestamp or event_date reads only its granules.
CREATE VIEW IF NOT EXISTS dm.v_events_enriched ON CLUSTER 'events' AS
SELECT *
FROM dm.event_enriched;

-- tier: all
-- One row per session of a registered user (user_domain_id is known); key click_id.
CREATE VIEW IF NOT EXISTS dm.v_session_overview ON CLUSTER 'events' AS
SELECT *
FROM dm.session
WHERE is_registered;

-- tier: all
-- One row per channel: purchases by the channel of the visitor's first session (first touch), of the session
-- with the purchase (last touch), and in equal parts of all the visitor's sessions up to that one (linear).
-- A session without a session_number is its own first and last touch. Each model has all purchases.
CREATE VIEW IF NOT EXISTS dm.v_attribution ON CLUSTER 'events' AS
SELECT
    channel,
    toUInt64(sumIf(purchases_so_far, is_first)) AS first_touch_purchases,
    sum(session_purchases) AS last_touch_purchases,
    sum(linear_part) AS linear_purchases
FROM
(
    SELECT
        channel,
        session.purchases AS session_purchases,
        session_number = 1 AS is_first,
        -- From the last session back: the purchases that a session precedes, or made itself.
        sum(session.purchases) OVER later AS purchases_so_far,
        sum(session.purchases / session_number) OVER later AS linear_part
    FROM dm.session AS session
    WHERE session_number IS NOT NULL
    WINDOW later AS (PARTITION BY user_custom_id ORDER BY session_number DESC ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
    UNION ALL
    SELECT channel, purchases, true, purchases, purchases
    FROM dm.session
    WHERE session_number IS NULL
)
GROUP BY channel;

-- tier: all
-- One row per start date of sessions, country, device, browser and clock. Counts sessions, sessions of
-- registered visitors, sessions with a purchase, and visitors, who may be in several rows.
CREATE VIEW IF NOT EXISTS dm.v_audience ON CLUSTER 'events' AS
SELECT
    session_date,
    geo_country,
    device_type,
    os_name,
    browser_name,
    clock,
    count() AS sessions,
    countIf(is_registered) AS registered_sessions,
    countIf(has_purchase) AS purchase_sessions,
    uniqExact(user_custom_id) AS visitors
FROM dm.session
GROUP BY session_date, geo_country, device_type, os_name, browser_name, clock;

-- tier: all
-- One row per day a session began, channel and clock: sessions, bounces, page events, purchases and sessions
-- with one.
CREATE VIEW IF NOT EXISTS dm.v_channels ON CLUSTER 'events' AS
SELECT
    session_date,
    channel,
    clock,
    count() AS sessions,
    countIf(is_bounce) AS bounces,
    sum(session.page_events) AS page_events,
    sum(session.purchases) AS purchases,
    countIf(has_purchase) AS purchase_sessions
FROM dm.session
GROUP BY session_date, channel, clock;

-- tier: all
-- One row per day a session began and channel: sessions, visitors, and shares of the sessions. Sessions with
-- a right clock only; the day of the others is unknown.
CREATE VIEW IF NOT EXISTS dm.v_channels_daily ON CLUSTER 'events' AS
SELECT
    session_date,
    channel,
    count() AS sessions,
    uniqExact(user_custom_id) AS visitors,
    countIf(is_bounce) AS bounces,
    sum(session.page_events) AS page_events,
    sum(session.purchases) AS purchases,
    countIf(has_purchase) AS purchase_sessions,
    avg(is_bounce) AS bounce_rate,
    avg(has_purchase) AS conversion
FROM dm.session
WHERE clock = 'right'
GROUP BY session_date, channel;

-- tier: all
-- One row per cohort (the week of a visitor's first session, from Monday) and week since then, up to the last
-- complete week (dm.complete_period): visitors with a session in that week, and their share of the cohort.
-- Excludes sessions of a clock that is ahead: their week is unknown.
CREATE VIEW IF NOT EXISTS dm.v_cohort_retention ON CLUSTER 'events' AS
WITH
    -- The week that begins on the day after the last complete one is not complete.
    (SELECT toMonday(max(last_complete_day) + 1) FROM dm.complete_period) AS end,
    cohort AS
    (
        SELECT toMonday(first_date) AS cohort_week, count() AS cohort_visitors
        FROM dm.visitor
        WHERE clock = 'right' AND first_date < end
        GROUP BY cohort_week
    ),
    cell AS
    (
        SELECT toMonday(visitor.first_date) AS cohort_week, toMonday(session.session_date) AS week, uniqExact(user_custom_id) AS visitors
        FROM dm.session AS session
        INNER JOIN dm.visitor AS visitor ON session.user_custom_id = visitor.user_custom_id
        WHERE session.clock = 'right' AND session.session_date < end
        GROUP BY cohort_week, week
    ),
    -- Weeks without a visitor of the cohort count as zero.
    frame AS
    (
        SELECT cohort_week, cohort_visitors, arrayJoin(range(toUInt64(intDiv(end - cohort_week, 7)))) AS week_number
        FROM cohort
    )
SELECT
    frame.cohort_week AS cohort_week,
    toUInt16(frame.week_number) AS week_number,
    toUInt64(cell.visitors) AS visitors,
    toUInt64(frame.cohort_visitors) AS cohort_visitors,
    visitors / cohort_visitors AS share
FROM frame
LEFT JOIN cell ON frame.cohort_week = cell.cohort_week AND frame.cohort_week + 7 * frame.week_number = cell.week;

-- tier: all
-- One row per model day: page events, sessions, visitors and purchases; without events of a clock that is ahead.
CREATE VIEW IF NOT EXISTS dm.v_daily_activity ON CLUSTER 'events' AS
SELECT
    event_date,
    count() AS page_events,
    uniqExact(click_id) AS sessions,
    uniqExact(user_custom_id) AS visitors,
    countIf(event_type = 'purchase') AS purchases
FROM dm.event_enriched
WHERE NOT has(event_markers, 'skewed_clock')
GROUP BY event_date;

-- tier: all
-- One row per start date of sessions, source, device, country, clock and funnel stage. Counts sessions that
-- saw a page of the stage, and sessions that reached it, by a page of this or a later stage.
CREATE VIEW IF NOT EXISTS dm.v_funnel ON CLUSTER 'events' AS
SELECT
    session_date,
    referer_medium,
    device_type,
    geo_country,
    clock,
    stage_number,
    stages_reached[stage_number] AS stage,
    count() AS sessions,
    countIf(has(stages_seen, stage)) AS seen_sessions
FROM dm.session
ARRAY JOIN arrayEnumerate(stages_reached) AS stage_number
GROUP BY session_date, referer_medium, device_type, geo_country, clock, stage_number, stage;

-- tier: all
-- One row per day a session began and funnel stage, up to the furthest stage of any session. A session counts
-- at a stage if it saw a page of it after one of the stage before, and so on from the first stage. Page
-- events with a right clock only; the order of the others is unknown.
CREATE VIEW IF NOT EXISTS dm.v_funnel_ordered ON CLUSTER 'events' AS
WITH (SELECT argMax(stages_reached, funnel_stage) FROM dm.session) AS stages
SELECT
    session_date,
    stage_number,
    stages[stage_number] AS stage,
    counts[stage_number] AS sessions,
    counts[1] AS first_sessions,
    counts[greatest(stage_number, 2) - 1] AS previous_sessions,
    sessions / nullIf(first_sessions, 0) AS share_of_first,
    sessions / nullIf(previous_sessions, 0) AS share_of_previous
FROM
(
    SELECT session_date, sumForEach(arrayMap(number -> number <= stage_reached, arrayEnumerate(stages))) AS counts
    FROM
    (
        SELECT
            session_date,
            arraySort(groupArray((page_number, page_stage))) AS pages,
            arrayFold((reached, page) -> if(page.2 = reached + 1, page.2, reached), pages, toUInt8(0)) AS stage_reached
        FROM dm.page_view
        WHERE clock = 'right'
        GROUP BY session_date, click_id
    )
    GROUP BY session_date
)
ARRAY JOIN arrayEnumerate(stages) AS stage_number;

-- tier: all
-- One row per day a session began and funnel stage, up to the furthest stage of any session. A session counts
-- at each stage of which it saw a page, so a stage may have more sessions than the one before. Sessions
-- with a right clock only; the day of the others is unknown.
CREATE VIEW IF NOT EXISTS dm.v_funnel_unordered ON CLUSTER 'events' AS
WITH (SELECT argMax(stages_reached, funnel_stage) FROM dm.session) AS stages
SELECT
    session_date,
    stage_number,
    stages[stage_number] AS stage,
    counts[stage_number] AS sessions,
    counts[1] AS first_sessions,
    counts[greatest(stage_number, 2) - 1] AS previous_sessions,
    sessions / nullIf(first_sessions, 0) AS share_of_first,
    sessions / nullIf(previous_sessions, 0) AS share_of_previous
FROM
(
    SELECT session_date, sumForEach(arrayMap(one -> has(stages_seen, one), stages)) AS counts
    FROM dm.session
    WHERE clock = 'right'
    GROUP BY session_date
)
ARRAY JOIN arrayEnumerate(stages) AS stage_number;

-- tier: all
-- One row per model hour: page events and sessions; without events of a clock that is ahead.
CREATE VIEW IF NOT EXISTS dm.v_hourly_activity ON CLUSTER 'events' AS
SELECT
    event_date,
    toStartOfHour(event_timestamp, 'UTC') AS event_hour,
    count() AS page_events,
    uniqExact(click_id) AS sessions
FROM dm.event_enriched
WHERE NOT has(event_markers, 'skewed_clock')
GROUP BY event_date, event_hour;

-- tier: all
-- One row per cohort (day of a visitor's first session) and day since then, up to the last complete day
-- (dm.complete_period). Excludes sessions that have only clocks that are ahead: their day is unknown.
CREATE VIEW IF NOT EXISTS dm.v_retention ON CLUSTER 'events' AS
WITH
    (SELECT max(last_complete_day) FROM dm.complete_period) AS last_day,
    visitor AS
    (
        SELECT
            user_custom_id,
            min(session_date) AS cohort,
            groupUniqArray(session_date) AS days
        FROM dm.session
        WHERE user_custom_id IS NOT NULL AND clock = 'right'
        GROUP BY user_custom_id
        HAVING cohort <= last_day
    ),
    cell AS
    (
        SELECT cohort, arrayJoin(days) - cohort AS day_number, count() AS visitors
        FROM visitor
        GROUP BY cohort, day_number
    ),
    -- Days without a visitor of the cohort count as zero; leaving them out would raise the mean.
    frame AS
    (
        SELECT
            cohort,
            count() AS cohort_visitors,
            arrayJoin(range(toUInt64(last_day - cohort) + 1)) AS day_number
        FROM visitor
        GROUP BY cohort
    )
SELECT
    frame.cohort AS cohort,
    toUInt16(frame.day_number) AS day_number,
    toUInt64(cell.visitors) AS visitors,
    toUInt64(frame.cohort_visitors) AS cohort_visitors
FROM frame
LEFT JOIN cell ON frame.cohort = cell.cohort AND frame.day_number = toUInt64(cell.day_number);

-- tier: all
-- One row per start date of sessions, source and clock: sessions, page events, purchases, and sessions with a
-- purchase.
CREATE VIEW IF NOT EXISTS dm.v_sources ON CLUSTER 'events' AS
SELECT
    session_date,
    referer_medium,
    utm_medium,
    utm_source,
    utm_campaign,
    clock,
    count() AS sessions,
    sum(session.page_events) AS page_events,
    sum(session.purchases) AS purchases,
    countIf(has_purchase) AS purchase_sessions
FROM dm.session
GROUP BY session_date, referer_medium, utm_medium, utm_source, utm_campaign, clock;

-- tier: all
-- One row: totals of the marts, including events with a fast clock, which skewed_events counts.
CREATE VIEW IF NOT EXISTS dm.v_totals ON CLUSTER 'events' AS
WITH
    event AS
    (
        SELECT
            count() AS page_events,
            countIf(event_type = 'purchase') AS purchases,
            countIf(has(event_markers, 'skewed_clock')) AS skewed_events
        FROM dm.event_enriched
    ),
    visit AS
    (
        SELECT
            count() AS sessions,
            uniqExact(user_custom_id) AS visitors,
            countIf(is_registered) AS registered_sessions,
            countIf(has_purchase) AS purchase_sessions
        FROM dm.session
    )
SELECT
    event.page_events AS page_events,
    event.purchases AS purchases,
    event.skewed_events AS skewed_events,
    visit.sessions AS sessions,
    visit.visitors AS visitors,
    visit.registered_sessions AS registered_sessions,
    visit.purchase_sessions AS purchase_sessions
FROM event
CROSS JOIN visit;

-- tier: all
-- One row per metric of the layers and set of labels, in the columns of FORMAT Prometheus. Counts messages
-- of the latest epoch. Lost and duplicated messages are of every epoch, but only of loads of the past 30
-- days, which stg still has. Only rows of committed loads of ods count. Ignores messages that never reached
-- stg, and rows of ods that stg lacks: `make prove` is the exact check.
CREATE VIEW IF NOT EXISTS dm_internal.v_pipeline_metrics ON CLUSTER 'events' AS
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
        SELECT 'browser' AS stream, epoch, _partition AS part, 'stg' AS layer, toString(any(_topic)) AS topic,
            count() AS messages, groupBitmapState(toUInt64(_offset)) AS bits
        FROM stg.browser_raw
        GROUP BY epoch, part
        UNION ALL
        SELECT 'location' AS stream, epoch, _partition AS part, 'stg' AS layer, toString(any(_topic)) AS topic,
            count() AS messages, groupBitmapState(toUInt64(_offset)) AS bits
        FROM stg.location_raw
        GROUP BY epoch, part
        UNION ALL
        SELECT 'device' AS stream, epoch, _partition AS part, 'stg' AS layer, toString(any(_topic)) AS topic,
            count() AS messages, groupBitmapState(toUInt64(_offset)) AS bits
        FROM stg.device_raw
        GROUP BY epoch, part
        UNION ALL
        SELECT 'geo' AS stream, epoch, _partition AS part, 'stg' AS layer, toString(any(_topic)) AS topic,
            count() AS messages, groupBitmapState(toUInt64(_offset)) AS bits
        FROM stg.geo_raw
        GROUP BY epoch, part
        UNION ALL
        SELECT 'browser', epoch, _partition AS part, 'ods', '', count(), groupBitmapState(toUInt64(_offset))
        FROM ods.browser_event
        WHERE load_id IN checked
        GROUP BY epoch, part
        UNION ALL
        SELECT 'browser', epoch, _partition AS part, 'ods', '', count(), groupBitmapState(toUInt64(_offset))
        FROM ods.browser_event_errors
        WHERE NOT is_typed AND load_id IN checked
        GROUP BY epoch, part
        UNION ALL
        SELECT 'location', epoch, _partition AS part, 'ods', '', count(), groupBitmapState(toUInt64(_offset))
        FROM ods.location_event
        WHERE load_id IN checked
        GROUP BY epoch, part
        UNION ALL
        SELECT 'location', epoch, _partition AS part, 'ods', '', count(), groupBitmapState(toUInt64(_offset))
        FROM ods.location_event_errors
        WHERE NOT is_typed AND load_id IN checked
        GROUP BY epoch, part
        UNION ALL
        SELECT 'device', epoch, _partition AS part, 'ods', '', count(), groupBitmapState(toUInt64(_offset))
        FROM ods.device_event
        WHERE load_id IN checked
        GROUP BY epoch, part
        UNION ALL
        SELECT 'device', epoch, _partition AS part, 'ods', '', count(), groupBitmapState(toUInt64(_offset))
        FROM ods.device_event_errors
        WHERE NOT is_typed AND load_id IN checked
        GROUP BY epoch, part
        UNION ALL
        SELECT 'geo', epoch, _partition AS part, 'ods', '', count(), groupBitmapState(toUInt64(_offset))
        FROM ods.geo_event
        WHERE load_id IN checked
        GROUP BY epoch, part
        UNION ALL
        SELECT 'geo', epoch, _partition AS part, 'ods', '', count(), groupBitmapState(toUInt64(_offset))
        FROM ods.geo_event_errors
        WHERE NOT is_typed AND load_id IN checked
        GROUP BY epoch, part
    ),
    -- A CTE is computed at each use, but a scalar once, so stg is read once. rest: messages in stg that ods
    -- lacks. They are lost up to the last loaded offset, and pending after it.
    (
        SELECT groupArray((stream, epoch, part, topic, raw, next_offset, pending, lost, doubled))
            ::Array(Tuple(stream String, epoch UInt64, part Int32, topic String, raw UInt64, next_offset UInt64, pending UInt64, lost UInt64, doubled UInt64))
        FROM
        (
            SELECT
                stream,
                epoch,
                part,
                max(offsets.topic) AS topic,
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
        SELECT 'browser' AS stream, markers, is_typed FROM ods.browser_event_errors WHERE epoch = latest AND load_id IN committed
        UNION ALL
        SELECT 'location' AS stream, markers, is_typed FROM ods.location_event_errors WHERE epoch = latest AND load_id IN committed
        UNION ALL
        SELECT 'device' AS stream, markers, is_typed FROM ods.device_event_errors WHERE epoch = latest AND load_id IN committed
        UNION ALL
        SELECT 'geo' AS stream, markers, is_typed FROM ods.geo_event_errors WHERE epoch = latest AND load_id IN committed
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
            SELECT 'browser', 'typed', -toInt64(count()) FROM ods.browser_event WHERE epoch = latest AND load_id IN uncommitted
            UNION ALL
            SELECT 'location', 'typed', toInt64(count()) FROM ods.location_event WHERE epoch = latest
            UNION ALL
            SELECT 'location', 'typed', -toInt64(count()) FROM ods.location_event WHERE epoch = latest AND load_id IN uncommitted
            UNION ALL
            SELECT 'device', 'typed', toInt64(count()) FROM ods.device_event WHERE epoch = latest
            UNION ALL
            SELECT 'device', 'typed', -toInt64(count()) FROM ods.device_event WHERE epoch = latest AND load_id IN uncommitted
            UNION ALL
            SELECT 'geo', 'typed', toInt64(count()) FROM ods.geo_event WHERE epoch = latest
            UNION ALL
            SELECT 'geo', 'typed', -toInt64(count()) FROM ods.geo_event WHERE epoch = latest AND load_id IN uncommitted
            UNION ALL
            SELECT stream, 'rejected', toInt64(count()) FROM marked WHERE NOT is_typed GROUP BY stream
            UNION ALL
            -- Adds zeros for streams without messages.
            SELECT
                arrayJoin(['browser', 'location', 'device', 'geo']),
                arrayJoin(['raw', 'typed', 'rejected', 'pending', 'lost', 'doubled']),
                toInt64(0)
        )
        GROUP BY stream, state
    ),
    -- Freshness of a layer: the newest raw row that its last load could see.
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
            FROM (SELECT target, max(load_id) AS load_id FROM dm_internal.load_commit GROUP BY target)
        )
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
    FROM fresh
    WHERE newest > toDateTime64('2000-01-01 00:00:00', 6, 'UTC')
    UNION ALL
    SELECT 'pipeline_oldest_ingestion_timestamp_seconds', toFloat64(toUnixTimestamp64Milli(toDateTime64(min(oldest), 3, 'UTC'))) / 1000,
        'Wall-clock time of the oldest message in stg', map('layer', 'stg')
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
    SELECT 'pipeline_stg_next_offset', toFloat64(one.next_offset), 'Offset after the last message in stg',
        map('topic', one.topic, 'partition', toString(one.part))
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
