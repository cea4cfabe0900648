-- tier: all
CREATE TABLE IF NOT EXISTS dm_internal.erased
(
    hash FixedString(16) COMMENT 'Keyed hash of an id'
)
ENGINE = Memory
COMMENT 'Keyed hashes of the ids that the running erasure looks for. In memory, so that nothing of it reaches a disk.';

CREATE TABLE IF NOT EXISTS dm_internal.swept_message
(
    _topic     LowCardinality(String),
    epoch      UInt64,
    _partition Int32,
    _offset    Int64
)
ENGINE = Memory
COMMENT 'Messages that the running erasure has found, which a sweep empties.';
