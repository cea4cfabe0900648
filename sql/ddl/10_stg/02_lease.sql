-- tier: all
CREATE TABLE IF NOT EXISTS stg.lease
(
    id          UInt64 COMMENT 'Number of the lease, never reused',
    step        LowCardinality(String) COMMENT 'Step or command that writes under the lease',
    owner       String COMMENT 'Process that acquired the lease',
    acquired_at DateTime64(6, 'UTC') COMMENT 'When the lease was acquired, wall-clock time',
    renewed_at  DateTime64(6, 'UTC') COMMENT 'When the lease was last renewed, wall-clock time'
)
ENGINE = ReplacingMergeTree(renewed_at)
ORDER BY (id, step)
COMMENT 'One row per lease, the right of one run to write the layers, and step under it. Numbers are never reused, so never empty the table. A renewal adds a row, and merges keep the latest: read it with FINAL.';
