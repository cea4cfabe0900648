-- tier: all
-- One row per page event with its place in the session; key event_id. Events of a fast clock come after the
-- others of their session and have no time on page, unless the session has no others.
CREATE TABLE IF NOT EXISTS dm.page_view
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
    event_hour           DateTime('UTC') DEFAULT toStartOfHour(event_timestamp, 'UTC'),
    event_timestamp      DateTime64(6, 'UTC'),
    INDEX click_id_bloom click_id TYPE bloom_filter(0.001) GRANULARITY 8,
    INDEX time_range (session_date, event_date, event_hour, event_timestamp) TYPE minmax GRANULARITY 1
)
ENGINE = MergeTree
PARTITION BY toStartOfMonth(event_timestamp)
ORDER BY (toStartOfHour(event_timestamp, 'UTC'), click_id, event_timestamp, event_id)
SETTINGS index_granularity = 1024;
