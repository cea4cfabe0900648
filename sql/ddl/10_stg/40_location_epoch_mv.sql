-- tier: all
-- Registers each epoch that `stg.epoch` does not know: a generator starts epochs by itself.
-- Neither 0 nor a time ahead of this clock, which would stay the latest epoch: five minutes for clocks
-- that differ. A writer further ahead is registered by a later message, once this clock has caught up.
CREATE MATERIALIZED VIEW IF NOT EXISTS stg.location_epoch_mv TO stg.epoch AS
SELECT DISTINCT epoch, 'first message' AS reason
FROM stg.location_raw
WHERE epoch BETWEEN 1 AND toUnixTimestamp64Milli(now64(3) + INTERVAL 5 MINUTE)
    AND epoch NOT IN (SELECT epoch FROM stg.epoch);
