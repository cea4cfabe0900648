-- One row: in how many partitions one stream of the epoch stands before t_end, and how many of its
-- messages do not tell when they were emitted.
SELECT
    uniqExact(_partition) AS partitions,
    countIf(emitted_at IS NULL) AS without_time
FROM stg.{raw:Identifier}
WHERE epoch = {epoch:UInt64}
    AND (emitted_at IS NULL OR emitted_at < fromUnixTimestamp64Micro({t_end:Int64}, 'UTC'));
