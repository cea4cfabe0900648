-- tier: all
CREATE TABLE IF NOT EXISTS dds.load_commit
(
    load_id      UInt64,
    lease_id     UInt64 COMMENT 'Lease of the step that wrote the row',
    definition   String COMMENT 'Changes with the SELECTs, columns, partitions and entries in the plan of the layer and those below, and for marts also with the site, functions and lists',
    committed_at DateTime64(6, 'UTC') DEFAULT now64(6, 'UTC')
)
ENGINE = MergeTree
ORDER BY load_id
COMMENT 'One row per finished load of dds: every load of ods up to load_id is in it. lease_id identifies this version of dds.';
