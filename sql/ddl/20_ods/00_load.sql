-- tier: all
-- One row per load and broker partition: the offsets (offset_from, offset_to] it takes.
-- load_id is the number of load_ods's lease (stg.lease).
-- Written before the rows, so that an interrupted load can be found and undone.
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

-- One row per finished load: its offsets are the watermark of the next one. Only rows of ods whose load is
-- here count.
CREATE TABLE IF NOT EXISTS ods.load_commit
(
    load_id      UInt64,
    committed_at DateTime64(6, 'UTC') DEFAULT now64(6, 'UTC')
)
ENGINE = MergeTree
ORDER BY load_id;
