-- tier: all
-- Scratch of load_dds: ids that older messages share with new ones, and ids written by an interrupted load.
-- Rows of `event` and `click` are rewritten; rows that are only in `known_click` are kept.
CREATE TABLE IF NOT EXISTS dds.work_touched
(
    kind LowCardinality(String),
    id   UUID
)
ENGINE = MergeTree
ORDER BY kind;

-- Scratch of load_dds: ids with several messages in one stream, and the winning message.
CREATE TABLE IF NOT EXISTS dds.work_repeated
(
    stream     LowCardinality(String),
    id         UUID,
    epoch      UInt64,
    _partition Int32,
    _offset    Int64,
    duplicates UInt32,
    superseded UInt32
)
ENGINE = MergeTree
ORDER BY stream;

-- Scratch of load_dds: the loads of ods to integrate, (from_load, to_load]; one row.
CREATE TABLE IF NOT EXISTS dds.work_range
(
    from_load UInt64,
    to_load   UInt64
)
ENGINE = MergeTree
ORDER BY tuple();
