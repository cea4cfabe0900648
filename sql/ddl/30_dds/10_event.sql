-- tier: all
CREATE TABLE IF NOT EXISTS dds.event
(
    event_id           UUID,
    click_id           UUID,
    site               LowCardinality(String),
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
    currency           LowCardinality(String),
    properties         Map(String, String),
    markers            Array(LowCardinality(String)),
    duplicates         UInt32 COMMENT 'Further messages of the winning epoch with the same id',
    superseded         UInt32 COMMENT 'Messages of earlier epochs with the same id',
    event_timestamp    DateTime64(6, 'UTC'),
    _offset            Int64 COMMENT 'Offset of the browser message; orders events with the same time'
)
ENGINE = MergeTree
PARTITION BY toStartOfMonth(event_timestamp)
ORDER BY (click_id, event_timestamp, event_id)
COMMENT 'One row per event; key event_id. The first message of the latest epoch wins.';
