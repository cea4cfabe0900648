-- One row: number of partitions of one stream of the epoch before t_end, and messages without a time of
-- emission.
SELECT
    uniqExact(_partition) AS partitions,
    countIf(emitted_at IS NULL) AS without_time
FROM stg.raw
WHERE _topic = {topic:String}
    AND epoch = {epoch:UInt64}
    AND repairs = ''
    AND (emitted_at IS NULL OR emitted_at < fromUnixTimestamp64Micro({t_end:Int64}, 'UTC'));
