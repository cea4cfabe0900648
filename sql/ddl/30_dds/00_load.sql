-- tier: all
-- One row per finished load of dds: every ods load up to load_id is integrated.
CREATE TABLE IF NOT EXISTS dds.load_commit
(
    load_id      UInt64,
    committed_at DateTime64(6, 'UTC') DEFAULT now64(6, 'UTC')
)
ENGINE = MergeTree
ORDER BY load_id;
