-- tier: all
-- Registers each epoch that `stg.epoch` does not know: a generator starts epochs by itself.
-- Neither 0 nor a time later than tomorrow: such a header would hide every true epoch.
CREATE MATERIALIZED VIEW IF NOT EXISTS stg.browser_epoch_mv TO stg.epoch AS
SELECT DISTINCT epoch, 'first message' AS reason
FROM stg.browser_raw
WHERE epoch BETWEEN 1 AND toUnixTimestamp64Milli(now64(3)) + 86400000
    AND epoch NOT IN (SELECT epoch FROM stg.epoch);
