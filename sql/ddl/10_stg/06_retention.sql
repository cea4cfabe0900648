-- tier: all
CREATE TABLE IF NOT EXISTS stg.retention
(
    layer  LowCardinality(String) COMMENT 'ods, or dm for dds and dm together',
    days   UInt32 COMMENT 'Days of wall-clock time that the layer keeps a session after its last message; 0: for ever',
    set_at DateTime64(6, 'UTC') DEFAULT now64(6, 'UTC') COMMENT 'When the row was written, wall-clock time'
)
ENGINE = ReplacingMergeTree(set_at)
ORDER BY layer
COMMENT 'One row per layer whose rows expire: read it with FINAL. `pipeline retain` writes it, each load follows it. Snapshots leave it out: a restore keeps the settings.';
