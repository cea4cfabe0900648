-- tier: all
-- Registers epochs that `stg.epoch` lacks: a generator starts epochs by itself.
-- Skips 0 and epochs more than five minutes ahead of this clock, which would stay the latest; a later message
-- registers those.
CREATE MATERIALIZED VIEW IF NOT EXISTS stg.browser_epoch_mv TO stg.epoch AS
SELECT DISTINCT epoch, 'first message' AS reason
FROM stg.browser_raw
WHERE epoch BETWEEN 1 AND toUnixTimestamp64Milli(now64(3) + INTERVAL 5 MINUTE)
    AND epoch NOT IN (SELECT epoch FROM stg.epoch);
