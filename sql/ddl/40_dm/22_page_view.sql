-- tier: all
CREATE TABLE IF NOT EXISTS dm.page_view
(
    event_id             UUID,
    click_id             UUID,
    site                 LowCardinality(String),
    user_custom_id       Nullable(String),
    page_url_path        LowCardinality(String),
    previous_page        LowCardinality(String) COMMENT 'Previous page of the session; empty if there is none or it is unknown',
    next_page            LowCardinality(String) COMMENT 'Next page of the session; empty if there is none or it is unknown',
    event_type           LowCardinality(String),
    channel              LowCardinality(String),
    device_type          LowCardinality(String),
    geo_country          LowCardinality(String),
    clock                LowCardinality(String) DEFAULT 'right' COMMENT '''ahead'' if the page event has a skewed clock, so that its day is wrong; else ''right''',
    page_number          UInt32 COMMENT 'Position of the page event in the session, from 1',
    page_stage           UInt8 COMMENT 'Number of the funnel stage of the page; 0 none',
    time_on_page_seconds Nullable(Float64) COMMENT 'Until the next page event of the session, seconds; NULL for the last one, and for a skewed clock unless all events of the session have one',
    is_registered        Bool,
    is_entry             Bool COMMENT 'Whether it is the session''s first page; pages with a known location go first',
    is_exit              Bool COMMENT 'Whether it is the session''s last page; pages with a known location go first',
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
SETTINGS index_granularity = 1024
COMMENT 'One row per page event with its place in the session; key event_id. Events with a skewed clock come after the others of their session.';
