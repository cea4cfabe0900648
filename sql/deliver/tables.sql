-- What the delivery of hits keeps, beside the tables of an import.

-- Hits of the file that is delivered. A request that is no hit has a reason.
CREATE TABLE IF NOT EXISTS hit
(
    number   UInt64,
    protocol LowCardinality(String),
    received DateTime64(3, 'UTC'),
    reason   String,
    body     String
)
ENGINE = MergeTree
ORDER BY number;

-- Messages of the file that is delivered; number: that of the hit that gives the message, and its offset.
CREATE TABLE IF NOT EXISTS message (topic LowCardinality(String), number UInt64, key String, raw String)
ENGINE = MergeTree
ORDER BY (topic, number);

-- Sessions by the file that has events of them. first_hit: the first number of the file.
CREATE TABLE IF NOT EXISTS session
(
    visit       String,
    click_id    UUID,
    epoch       UInt64,
    first_hit   UInt64,
    first_at    DateTime64(6, 'UTC'),
    last_at     DateTime64(6, 'UTC'),
    has_account Bool,
    stored_at   DateTime DEFAULT now()
)
ENGINE = ReplacingMergeTree
ORDER BY (visit, click_id, epoch, first_hit)
TTL stored_at + INTERVAL 2 DAY;

-- Orders that count.
CREATE TABLE IF NOT EXISTS purchase (order_id String, visitor_id String, event_id UUID, epoch UInt64, first_hit UInt64)
ENGINE = ReplacingMergeTree
ORDER BY (order_id, visitor_id, event_id, epoch, first_hit);

CREATE TABLE IF NOT EXISTS outcome
(
    number   UInt64 COMMENT 'Number of the hit, counted from 0 in the order of receipt',
    protocol LowCardinality(String) COMMENT 'Tracker that sent it',
    received DateTime64(3, 'UTC') COMMENT 'When it was received, wall-clock time',
    is_bad   Bool COMMENT 'Whether it cannot be an event',
    reason   String COMMENT 'Why it is bad, or why a good hit is no event; empty for an event',
    body     String COMMENT 'Event as JSON, or the body of a request that is no hit' CODEC(ZSTD(1)),
    event    String COMMENT 'Message of the stream browser that came of it' CODEC(ZSTD(1)),
    location String COMMENT 'Message of the stream location that came of it' CODEC(ZSTD(1)),
    stored_at DateTime DEFAULT now() COMMENT 'When it was delivered, wall-clock time'
)
ENGINE = ReplacingMergeTree
ORDER BY number
TTL stored_at + INTERVAL 30 DAY
COMMENT 'One row per hit of the collector; key number.';
