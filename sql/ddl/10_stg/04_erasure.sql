-- tier: all
CREATE TABLE IF NOT EXISTS stg.erasure
(
    id          UInt64 COMMENT 'Lease of the erasure',
    request     String COMMENT 'Request as the user named it; never an id of a visitor',
    ids         UInt64 COMMENT 'Ids in the request',
    sessions    UInt64 COMMENT 'Sessions of these ids that were stored',
    messages    UInt64 COMMENT 'Messages of these sessions that were stored',
    began_at    DateTime64(6, 'UTC') COMMENT 'When the erasure began, wall-clock time',
    finished_at Nullable(DateTime64(6, 'UTC')) COMMENT 'When no stored file had the ids any more, wall-clock time; NULL before',
    written_at  DateTime64(6, 'UTC') DEFAULT now64(6, 'UTC')
)
ENGINE = ReplacingMergeTree(written_at)
ORDER BY id
COMMENT 'One row per erasure of visitors: read it with FINAL. Snapshots leave out this table, stg.erased and stg.erasure_key: a restore keeps what was erased since.';

CREATE TABLE IF NOT EXISTS stg.erased
(
    hash FixedString(16) COMMENT 'Keyed hash of an id: of a visitor, account, session or event'
)
ENGINE = ReplacingMergeTree
ORDER BY hash
COMMENT 'One row per erased id. load_ods erases messages with these ids again: those that are read again, restored, or loaded again.';

CREATE TABLE IF NOT EXISTS stg.erasure_key
(
    low  UInt64,
    high UInt64
)
ENGINE = MergeTree
ORDER BY tuple()
COMMENT 'The key of the hashes in stg.erased; one row.';
