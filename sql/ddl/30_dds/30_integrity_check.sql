-- tier: all
CREATE TABLE IF NOT EXISTS dds.integrity_check
(
    load_id       UInt64,
    lease_id      UInt64 COMMENT 'Lease of the checked commit of dds',
    events        UInt64 COMMENT 'Events in dds.event',
    clicks        UInt64 COMMENT 'Sessions in dds.click',
    orphan_events UInt64 COMMENT 'Events without a session; more than 0 closes the gate',
    checked_at    DateTime64(6, 'UTC') DEFAULT now64(6, 'UTC') COMMENT 'When the check ran, wall-clock time'
)
ENGINE = MergeTree
ORDER BY checked_at
COMMENT 'One row per check of the link from dds.event to dds.click; the gate before dm reads the latest row.';
