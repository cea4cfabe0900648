-- Whether rows expire in this load, and the times before which; whether any have expired before. An interrupted expiry
-- continues with its own times. Rows leave ods only if dds has every load of it.
WITH
    (SELECT argMax((id, ods_before, dm_before), id) FROM dds.expiry FINAL WHERE finished_at IS NULL) AS open,
    (SELECT (max(ods_before), max(dm_before)) FROM dds.expiry FINAL WHERE finished_at IS NOT NULL) AS done,
    (SELECT mapFromArrays(groupArray(toString(layer)), groupArray(days)) FROM stg.retention FINAL) AS kept,
    open.1 > 0 AS is_open,
    -- A DateTime before 1970 would be one far ahead.
    arrayMap(days -> if(days = 0, 0, greatest(0, toUnixTimestamp(toStartOfDay(now('UTC'))) - 86400 * days)), [kept['ods'], kept['dm']])
        ::Array(DateTime('UTC')) AS before
SELECT
    if(is_open, open.1, {lease_id:UInt64}) AS expiry_id,
    toUnixTimestamp(if(is_open, open.2, before[1])) AS ods_before,
    toUnixTimestamp(if(is_open, open.3, before[2])) AS dm_before,
    is_open
        OR ((before[1] > done.1 OR before[2] > done.2)
            AND (SELECT max(load_id) FROM ods.load_commit) = (SELECT max(load_id) FROM dds.load_commit)) AS is_due,
    (SELECT count() FROM dds.expired_click) > 0 AS has_expired;
