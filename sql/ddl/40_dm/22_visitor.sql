-- tier: all
CREATE TABLE IF NOT EXISTS dm.visitor
(
    user_custom_id     String COMMENT 'Visitor, registered or not',
    site               LowCardinality(String),
    user_domain_id     Nullable(UUID) COMMENT 'Account in the visitor''s latest session that names one; NULL without one',
    first_channel      LowCardinality(String) COMMENT 'Channel of the visitor''s first session',
    first_utm_source   LowCardinality(String) COMMENT 'utm_source of the visitor''s first session',
    first_utm_campaign LowCardinality(String) COMMENT 'utm_campaign of the visitor''s first session',
    first_entry_page   LowCardinality(String) COMMENT 'First page of the visitor''s first session',
    last_channel       LowCardinality(String) COMMENT 'Channel of the visitor''s last session',
    last_utm_source    LowCardinality(String) COMMENT 'utm_source of the visitor''s last session',
    last_utm_campaign  LowCardinality(String) COMMENT 'utm_campaign of the visitor''s last session',
    last_entry_page    LowCardinality(String) COMMENT 'First page of the visitor''s last session',
    clock              LowCardinality(String) DEFAULT 'right' COMMENT '''ahead'' if every session of the visitor is; else ''right''',
    sessions           UInt32 COMMENT 'Sessions',
    page_events        UInt32,
    purchases          UInt32,
    revenue            Decimal(18, 4),
    refunds            Decimal(18, 4),
    net_revenue        Decimal(18, 4),
    is_registered      Bool,
    first_date         Date COMMENT 'Day by the site''s clock on which the visitor''s first session began',
    first_seen         DateTime64(6, 'UTC') COMMENT 'First event of the visitor, UTC',
    last_seen          DateTime64(6, 'UTC') COMMENT 'Last event of the visitor, UTC'
)
ENGINE = MergeTree
ORDER BY user_custom_id
COMMENT 'One row per visitor with a session; key user_custom_id. Counts include all sessions. First and last ignore sessions with a skewed clock, unless there are no others.';
