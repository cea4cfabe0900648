-- One row: sessions that began in the {window} microseconds after t_end, and those of a user known before
-- t_end.
SELECT
    count() AS sessions,
    countIf(user_custom_id IN
    (
        SELECT user_custom_id
        FROM ods.device_event
        WHERE epoch = {epoch:UInt64} AND load_id IN (SELECT load_id FROM ods.load_commit) AND emitted_at < fromUnixTimestamp64Micro({t_end:Int64}, 'UTC')
    )) AS known
FROM ods.device_event
WHERE epoch = {epoch:UInt64} AND load_id IN (SELECT load_id FROM ods.load_commit)
    AND user_custom_id != ''
    AND emitted_at >= fromUnixTimestamp64Micro({t_end:Int64}, 'UTC')
    AND emitted_at < fromUnixTimestamp64Micro({t_end:Int64} + {window:Int64}, 'UTC');
