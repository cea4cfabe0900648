-- tier: all
CREATE TABLE IF NOT EXISTS dds.click
(
    click_id         UUID,
    user_domain_id   Nullable(UUID),
    user_custom_id   String COMMENT 'Visitor, registered or not; empty if unknown',
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
    started_at       Nullable(DateTime64(6, 'UTC')) COMMENT 'First event without a skewed clock; NULL if there is none',
    _offset          Int64 COMMENT 'Offset of that event; orders sessions with the same start'
)
ENGINE = MergeTree
ORDER BY click_id
COMMENT 'One row per session in the browser, device or geo stream; key click_id.';
