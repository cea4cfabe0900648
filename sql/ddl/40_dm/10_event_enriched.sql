-- tier: all
CREATE TABLE IF NOT EXISTS dm.event_enriched
(
    event_id           UUID,
    click_id           UUID,
    site               LowCardinality(String),
    user_domain_id     Nullable(UUID) COMMENT 'Account of a registered visitor; NULL for anonymous ones',
    user_custom_id     Nullable(String) COMMENT 'Visitor, registered or not; NULL if unknown',
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
    order_value        Nullable(Decimal(18, 4)),
    currency           LowCardinality(String) COMMENT 'Currency of order_value, ISO 4217; empty without one',
    properties         Map(String, String),
    os                 LowCardinality(String),
    os_name            LowCardinality(String),
    os_timezone        LowCardinality(String),
    device_type        LowCardinality(String),
    geo_country        LowCardinality(String),
    geo_timezone       LowCardinality(String),
    geo_region_name    LowCardinality(String),
    ip_address         String,
    event_markers      Array(LowCardinality(String)) COMMENT 'Markers of defects in the event',
    click_markers      Array(LowCardinality(String)) COMMENT 'Markers of defects in the event''s session',
    geo_latitude       Nullable(Float64),
    geo_longitude      Nullable(Float64),
    device_is_mobile   Nullable(Bool),
    event_date         Date COMMENT 'Day of the event by the site''s clock; filter by it to read only part of the data',
    event_hour         DateTime('UTC') DEFAULT toStartOfHour(event_timestamp, 'UTC') COMMENT 'Hour of the event by the site''s clock, which the type calls UTC',
    event_timestamp    DateTime64(6, 'UTC'),
    _offset            Int64 COMMENT 'Offset of the browser message; orders events with the same time',
    INDEX event_id_bloom event_id TYPE bloom_filter(0.001) GRANULARITY 8,
    INDEX click_id_bloom click_id TYPE bloom_filter(0.001) GRANULARITY 8,
    INDEX time_range (event_date, event_hour, event_timestamp) TYPE minmax GRANULARITY 1
)
ENGINE = MergeTree
PARTITION BY toStartOfMonth(event_timestamp)
ORDER BY (toStartOfHour(event_timestamp, 'UTC'), click_id, event_timestamp, event_id)
SETTINGS index_granularity = 1024
COMMENT 'One row per event with the facts of its session; key event_id. Small granules, because dashboards filter by hour and day.';
