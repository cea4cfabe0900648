-- tier: all
-- One row per finished load of dds: every ods load up to load_id is integrated. lease_id: lease of the
-- load_dds run (stg.lease), which identifies this version of dds.
CREATE TABLE IF NOT EXISTS dds.load_commit
(
    load_id      UInt64,
    lease_id     UInt64,
    definition   String,
    committed_at DateTime64(6, 'UTC') DEFAULT now64(6, 'UTC')
)
ENGINE = MergeTree
ORDER BY load_id;
