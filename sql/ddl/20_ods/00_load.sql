-- tier: all
-- One row per load and broker partition: its offsets (offset_from, offset_to]. load_id is the number of
-- load_ods's lease (stg.lease). The row is written before the load's rows, so that an interrupted load can be
-- found and undone.
CREATE TABLE IF NOT EXISTS ods.load_range
(
    load_id     UInt64,
    stream      LowCardinality(String),
    epoch       UInt64,
    _partition  Int32,
    offset_from Int64,
    offset_to   Int64,
    planned_at  DateTime64(6, 'UTC') DEFAULT now64(6, 'UTC')
)
ENGINE = MergeTree
ORDER BY (load_id, stream, epoch, _partition);

-- One row per finished load, whose offsets are the watermark of the next one. Other loads' rows in ods do not
-- count.
CREATE TABLE IF NOT EXISTS ods.load_commit
(
    load_id      UInt64,
    committed_at DateTime64(6, 'UTC') DEFAULT now64(6, 'UTC')
)
ENGINE = MergeTree
ORDER BY load_id;
