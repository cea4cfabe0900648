-- tier: all
-- One row per session with at least one event; key click_id.
-- funnel_stage: furthest page reached, 1 home, 2 product, 3 cart, 4 payment, 5 confirmation; 0 none.
CREATE TABLE IF NOT EXISTS dm.session
(
    click_id         UUID,
    user_domain_id   Nullable(UUID),
    user_custom_id   String,
    entry_page       LowCardinality(String),
    exit_page        LowCardinality(String),
    referer_medium   LowCardinality(String),
    utm_medium       LowCardinality(String),
    utm_source       LowCardinality(String),
    utm_campaign     LowCardinality(String),
    browser_name     LowCardinality(String),
    os_name          LowCardinality(String),
    device_type      LowCardinality(String),
    geo_country      LowCardinality(String),
    geo_region_name  LowCardinality(String),
    page_events      UInt32,
    funnel_stage     UInt8,
    duration_seconds Float64,
    is_registered    Bool,
    is_mobile        Nullable(Bool),
    has_purchase     Bool,
    session_date     Date,
    started_at       DateTime64(6, 'UTC'),
    ended_at         DateTime64(6, 'UTC')
)
ENGINE = MergeTree
PARTITION BY toStartOfMonth(session_date)
ORDER BY (session_date, click_id)
SETTINGS index_granularity = 1024;
