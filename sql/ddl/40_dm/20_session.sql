-- tier: all
CREATE TABLE IF NOT EXISTS dm.session
(
    click_id           UUID,
    site               LowCardinality(String),
    user_domain_id     Nullable(UUID),
    user_custom_id     Nullable(String),
    entry_page         LowCardinality(String) COMMENT 'Page of the first page event; pages with a known location go first',
    exit_page          LowCardinality(String) COMMENT 'Page of the last page event; pages with a known location go first',
    referer_medium     LowCardinality(String),
    utm_medium         LowCardinality(String),
    utm_source         LowCardinality(String),
    utm_campaign       LowCardinality(String),
    channel            LowCardinality(String) COMMENT 'Default channel group of Google Analytics, from campaign and referrer; unknown without a page',
    browser_name       LowCardinality(String),
    os_name            LowCardinality(String),
    device_type        LowCardinality(String),
    geo_country        LowCardinality(String),
    geo_region_name    LowCardinality(String),
    experiment_variant LowCardinality(String) COMMENT 'Experiment and variant, the parameter exp of the page URLs; empty without one',
    clock              LowCardinality(String) DEFAULT 'right' COMMENT '''ahead'' if all events of the session have a skewed clock, so that its day is wrong; else ''right''',
    page_events        UInt32 COMMENT 'Page views and purchases',
    purchases          UInt32 COMMENT 'Completed purchases; a session may have several',
    revenue            Decimal(18, 4) COMMENT 'Value of the purchases, in the currency of the data',
    refunds            Decimal(18, 4) COMMENT 'Value of the refunds, in the currency of the data',
    net_revenue        Decimal(18, 4) COMMENT 'Revenue without the refunds',
    currency           LowCardinality(String) COMMENT 'Currency of purchases and refunds; empty without one, or if there are several',
    funnel_stage       UInt8 COMMENT 'Number of the furthest funnel stage with a page of the session; 0 none',
    session_number     Nullable(UInt32) COMMENT 'Position among the visitor''s sessions by time, from 1; NULL if the visitor or the time is unknown',
    duration_seconds   Float64 COMMENT 'From the first to the last event, seconds',
    engaged_seconds    Float64 COMMENT 'Sum of the gaps between events, seconds; a gap longer than the site''s session pause counts as the pause',
    is_registered      Bool COMMENT 'Whether the visitor has an account',
    is_mobile          Nullable(Bool) COMMENT 'Whether the device is a phone or tablet',
    is_new             Nullable(Bool) COMMENT 'Whether it is the visitor''s first session; NULL if the visitor or the time is unknown',
    has_purchase       Bool COMMENT 'Whether the session has at least one purchase',
    stages_reached     Array(LowCardinality(String)) COMMENT 'Funnel stages up to the furthest one, in order',
    stages_seen        Array(LowCardinality(String)) COMMENT 'Funnel stages with a page view of the session, in order',
    is_bounce          Bool COMMENT 'Whether the session has a single page event',
    session_date       Date COMMENT 'Day by the site''s clock on which the session began',
    session_hour       DateTime('UTC') DEFAULT toStartOfHour(started_at, 'UTC') COMMENT 'Hour by the site''s clock in which the session began; the type calls it UTC',
    started_at         DateTime64(6, 'UTC') COMMENT 'First event of the session, UTC; ignores skewed clocks unless all are',
    ended_at           DateTime64(6, 'UTC') COMMENT 'Last event of the session, UTC; ignores skewed clocks unless all are',
    _offset            Int64 COMMENT 'Offset of the first event; orders sessions with the same start',
    INDEX click_id_bloom click_id TYPE bloom_filter(0.001) GRANULARITY 8,
    INDEX time_range (session_date, session_hour, started_at) TYPE minmax GRANULARITY 1
)
ENGINE = MergeTree
PARTITION BY toStartOfMonth(started_at)
ORDER BY (toStartOfHour(started_at, 'UTC'), click_id)
SETTINGS index_granularity = 1024
COMMENT 'One row per session with at least one event; key click_id.';
