-- tier: all
-- One row per visitor with a session; key user_custom_id. Counts include all sessions. First and last ignore
-- sessions of a clock that is ahead, unless there are no others: then clock is 'ahead'.
-- user_domain_id: the account of the latest session that names one.
CREATE TABLE IF NOT EXISTS dm.visitor
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
    revenue            Decimal(18, 4),
    refunds            Decimal(18, 4),
    net_revenue        Decimal(18, 4),
    is_registered      Bool,
    first_date         Date,
    first_seen         DateTime64(6, 'UTC'),
    last_seen          DateTime64(6, 'UTC')
)
ENGINE = MergeTree
ORDER BY user_custom_id;
