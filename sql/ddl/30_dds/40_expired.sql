-- tier: all
CREATE TABLE IF NOT EXISTS dds.expiry
(
    id          UInt64 COMMENT 'Lease of the load that began it',
    ods_before  DateTime('UTC') COMMENT 'Messages that were stored before are older than ods keeps',
    dm_before   DateTime('UTC') COMMENT 'Sessions whose last message was stored before are older than dds and dm keep',
    sessions    UInt64 COMMENT 'Sessions that left dds and dm',
    began_at    DateTime64(6, 'UTC') DEFAULT now64(6, 'UTC') COMMENT 'When it began, wall-clock time',
    finished_at Nullable(DateTime64(6, 'UTC')) COMMENT 'When all rows had left, wall-clock time; NULL before',
    written_at  DateTime64(6, 'UTC') DEFAULT now64(6, 'UTC') COMMENT 'When this version of the row was written'
)
ENGINE = ReplacingMergeTree(written_at)
ORDER BY id
COMMENT 'One row per day on which rows expired: read it with FINAL.';

CREATE TABLE IF NOT EXISTS dds.expired_click
(
    click_id  UUID,
    messages  UInt64 COMMENT 'Typed browser messages of the session',
    last_at   DateTime64(6, 'UTC') COMMENT 'When its last message was stored, wall-clock time',
    expiry_id UInt64 COMMENT 'Expiry in which its messages left ods',
    has_left  Bool COMMENT 'Whether its rows have left dds and dm, too'
)
ENGINE = MergeTree
ORDER BY click_id
COMMENT 'One row per session whose messages have left ods. dds has the only copy of its rows until they leave, too: a computation of the whole table keeps them. A message that comes later is not loaded.';
