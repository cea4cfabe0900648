-- One row: last live event after t_end, in microseconds of model time; null without live events.
SELECT
    count() AS events,
    max(toUnixTimestamp64Micro(assumeNotNull(emitted_at))) - {t_end:Int64} AS live_for
FROM ods.browser_event
WHERE epoch = {epoch:UInt64} AND load_id IN (SELECT load_id FROM ods.load_commit)
    AND emitted_at >= fromUnixTimestamp64Micro({t_end:Int64}, 'UTC');
