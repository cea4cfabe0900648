-- One row per model day of emission before t_end: messages of one stream in stg and in ods.
-- A raw row past its time to live counts as raw as long as ods has it.
-- {typed} and {errors}: tables of ods.
WITH
    oldest AS
    (
        SELECT _partition, min(_offset) AS oldest_offset
        FROM stg.raw WHERE _topic = {topic:String} AND epoch = {epoch:UInt64} GROUP BY _partition
    ),
    fate AS
    (
        SELECT 'stored' AS fate, _partition, _offset, emitted_at
        FROM stg.raw FINAL WHERE _topic = {topic:String} AND epoch = {epoch:UInt64}
        UNION ALL
        SELECT 'typed', _partition, _offset, emitted_at
        FROM ods.{typed:Identifier} WHERE epoch = {epoch:UInt64} AND load_id IN (SELECT load_id FROM ods.load_commit)
        UNION ALL
        SELECT 'rejected', _partition, _offset, emitted_at
        FROM ods.{errors:Identifier} WHERE epoch = {epoch:UInt64} AND load_id IN (SELECT load_id FROM ods.load_commit) AND NOT is_typed
    )
SELECT
    ifNull(toString(toDate(fate.emitted_at, 'UTC')), '') AS day,
    countIf(fate.fate = 'stored') AS stored,
    countIf(fate.fate != 'stored' AND (oldest.oldest_offset IS NULL OR fate._offset < oldest.oldest_offset)) AS expired,
    countIf(fate.fate = 'typed') AS typed,
    countIf(fate.fate = 'rejected') AS rejected
FROM fate
LEFT JOIN oldest ON fate._partition = oldest._partition
WHERE (fate.emitted_at IS NULL OR fate.emitted_at < fromUnixTimestamp64Micro({t_end:Int64}, 'UTC'))
    -- A history has no repairs.
    AND (fate._partition, fate._offset) NOT IN
    (SELECT by_partition, by_offset FROM stg.repair WHERE _topic = {topic:String} AND by_epoch = {epoch:UInt64})
GROUP BY day
ORDER BY day
SETTINGS join_use_nulls = 1;
