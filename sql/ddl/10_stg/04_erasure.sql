-- tier: all
CREATE TABLE IF NOT EXISTS stg.erasure
(
    id          UInt64 COMMENT 'Lease of the erasure',
    request     String COMMENT 'Request as the user named it; never an id of a visitor',
    ids         UInt64 COMMENT 'Ids in the request',
    sessions    UInt64 COMMENT 'Sessions of these ids that were stored',
    messages    UInt64 COMMENT 'Messages of these sessions that were stored',
    hashes      Array(FixedString(16)) COMMENT 'Keyed hashes of the ids and of their sessions and events, including later ones',
    began_at    DateTime64(6, 'UTC') COMMENT 'When the erasure began, wall-clock time',
    finished_at Nullable(DateTime64(6, 'UTC')) COMMENT 'When no file of the database and of its datasets had the ids any more, wall-clock time; NULL before',
    written_at  DateTime64(6, 'UTC') DEFAULT now64(6, 'UTC') COMMENT 'When this version of the row was written: the latest counts'
)
ENGINE = ReplacingMergeTree(written_at)
ORDER BY id
COMMENT 'One row per erasure of visitors: read it with FINAL. Snapshots leave out this table and stg.erasure_key: a restore keeps what was erased since.';

CREATE VIEW IF NOT EXISTS stg.erased
    COMMENT 'One row per erased id, as its keyed hash: of a visitor, account, session or event. load_ods erases messages with these ids again: those that are read again, restored, or loaded again.'
AS
SELECT DISTINCT arrayJoin(hashes) AS hash
FROM stg.erasure FINAL;

ALTER TABLE stg.erased
    COMMENT COLUMN hash 'Keyed hash of an id';

CREATE TABLE IF NOT EXISTS stg.erasure_key
(
    low  UInt64 COMMENT 'First half of the key',
    high UInt64 COMMENT 'Second half of the key'
)
ENGINE = MergeTree
ORDER BY tuple()
COMMENT 'The key of the hashes in stg.erased; one row.';
