-- tier: all
CREATE TABLE IF NOT EXISTS ods.load_range
(
    load_id     UInt64 COMMENT 'Load of ods, numbered by its lease; readers ignore rows of uncommitted loads',
    stream      LowCardinality(String) COMMENT 'Stream of the messages',
    epoch       UInt64,
    _partition  Int32,
    offset_from Int64 COMMENT 'Last offset before the load',
    offset_to   Int64 COMMENT 'Last offset of the load',
    planned_at  DateTime64(6, 'UTC') DEFAULT now64(6, 'UTC') COMMENT 'When the load was planned, wall-clock time'
)
ENGINE = MergeTree
ORDER BY (load_id, stream, epoch, _partition)
COMMENT 'One row per load and broker partition: its offsets (offset_from, offset_to]. The row is written before the rows of the load, so that an interrupted load can be found and undone.';

CREATE TABLE IF NOT EXISTS ods.load_commit
(
    load_id      UInt64,
    committed_at DateTime64(6, 'UTC') DEFAULT now64(6, 'UTC') COMMENT 'When the load was committed, wall-clock time'
)
ENGINE = MergeTree
ORDER BY load_id
COMMENT 'One row per finished load, whose offsets are the watermark of the next one. Rows of other loads in ods do not count.';
