-- tier: all
-- One row per session with at least one event; key click_id.
-- clock: 'ahead' if every event is stamped later than it was sent, so that its times are wrong; else 'right'.
-- revenue: order_value of the purchases; refunds: of the refunds; currency: of both, empty if there are several.
-- funnel_stage: number of the furthest stage with a page of the session; 0 none.
-- channel: from the campaign's medium, without a campaign from the class of the referrer.
-- engaged_seconds: between successive events, each gap at most 30 minutes.
-- experiment_variant: the parameter exp of the page URLs; empty without an experiment.
-- session_number: among the visitor's sessions by started_at; NULL without a visitor or if clock is 'ahead'.
CREATE TABLE IF NOT EXISTS dm.session
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
    revenue            Decimal(18, 4),
    refunds            Decimal(18, 4),
    net_revenue        Decimal(18, 4),
    currency           LowCardinality(String),
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
    session_hour       DateTime('UTC') DEFAULT toStartOfHour(started_at, 'UTC'),
    started_at         DateTime64(6, 'UTC'),
    ended_at           DateTime64(6, 'UTC'),
    INDEX click_id_bloom click_id TYPE bloom_filter(0.001) GRANULARITY 8,
    INDEX time_range (session_date, session_hour, started_at) TYPE minmax GRANULARITY 1
)
ENGINE = MergeTree
PARTITION BY toStartOfMonth(started_at)
ORDER BY (toStartOfHour(started_at, 'UTC'), click_id)
SETTINGS index_granularity = 1024;
