-- One row per row that a source gives, in the order of sessions: of the ids in the file, else of visitors. What is
-- computed by session is computed slice by slice, so that memory is bounded.
CREATE TABLE IF NOT EXISTS event
(
    row          Tuple(file UInt16, number UInt64, content FixedString(16)),
    rejected     LowCardinality(String) COMMENT 'reason why the row is no event; empty for an event',
    detail       String COMMENT 'text that is rejected',
    skipped      LowCardinality(String) COMMENT 'reason of the source to leave the row out',
    at           DateTime64(6, 'UTC'),
    site         LowCardinality(String),
    has_session  Bool,
    visit        String COMMENT 'id of the session, or of the visitor if the file has no sessions, as of_site gives it',
    event_id     UUID,
    has_event_id Bool COMMENT 'whether the row has an id; else it follows from the content',
    visitor_id   String,
    account_id   String,
    event_type   LowCardinality(String),
    page_url     LowCardinality(String),
    referer_url  LowCardinality(String),
    utm_source   LowCardinality(String),
    utm_medium   LowCardinality(String),
    utm_campaign LowCardinality(String),
    utm_content  LowCardinality(String),
    user_agent   LowCardinality(String),
    browser      LowCardinality(String),
    system       LowCardinality(String),
    device       LowCardinality(String),
    language     LowCardinality(String),
    country      LowCardinality(String),
    region       LowCardinality(String),
    latitude     Nullable(Float64),
    longitude    Nullable(Float64),
    timezone     LowCardinality(String),
    ip_address   String,
    order_value  Nullable(Float64),
    order_id     String,
    currency     LowCardinality(String),
    properties   Map(String, String),
    no_ids       Map(LowCardinality(String), String) COMMENT 'texts that are no id, by column',
    slice        UInt8
)
ENGINE = MergeTree
ORDER BY (slice, visit, at, row)
-- Merging costs more than it saves in a table that is read a few times.
SETTINGS min_parts_to_merge_at_once = 50;
