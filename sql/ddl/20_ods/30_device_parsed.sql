-- tier: all
-- Feeds each device message, parsed once, to ods.device_event and ods.device_event_errors.
CREATE TABLE IF NOT EXISTS ods.device_parsed
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
