-- tier: all
-- One row per check of the link dds.event -> dds.click; the gate before dm reads the latest row. lease_id:
-- the checked commit of dds (dds.load_commit).
CREATE TABLE IF NOT EXISTS dds.integrity_check
(
    load_id       UInt64,
    lease_id      UInt64,
    events        UInt64,
    clicks        UInt64,
    orphan_events UInt64,
    checked_at    DateTime64(6, 'UTC') DEFAULT now64(6, 'UTC')
)
ENGINE = MergeTree
ORDER BY checked_at;
