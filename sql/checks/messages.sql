-- Messages of one stream per epoch and model day of emission: raw, typed, rejected, not yet loaded. In epoch
-- {epoch}, counts messages below the offset {ends} of their partition, or all if {ends} is empty. A raw row
-- past its time to live (30 days) counts as raw as long as ods has it. same_rows: compares sums of row
-- hashes, because a lost and a duplicated row hide each other in the counts. stored: the highest offset in stg
-- by partition. Only rows of committed loads of ods count. {typed} and {errors}: tables of ods.
WITH
    watermark AS
    (
        SELECT epoch, _partition, max(offset_to) AS offset_to
        FROM ods.load_range
        WHERE stream = {stream:String} AND load_id IN (SELECT load_id FROM ods.load_commit)
        GROUP BY epoch, _partition
    ),
    oldest AS
    (
        SELECT epoch, _partition, min(_offset) AS oldest_offset
        FROM stg.raw WHERE _topic = {topic:String} GROUP BY epoch, _partition
    ),
    fate AS
    (
        SELECT 'stored' AS fate, epoch, _partition, _offset, toDate(emitted_at, 'UTC') AS day, ingested_at
        FROM stg.raw FINAL
        WHERE _topic = {topic:String}
        UNION ALL
        SELECT 'typed', epoch, _partition, _offset, toDate(emitted_at, 'UTC'), ingested_at
        FROM ods.{typed:Identifier}
        WHERE load_id IN (SELECT load_id FROM ods.load_commit)
        UNION ALL
        SELECT if(is_typed, 'typed', 'rejected'), epoch, _partition, _offset, toDate(emitted_at, 'UTC'), ingested_at
        FROM ods.{errors:Identifier}
        WHERE (NOT is_typed OR has(markers, 'expired')) AND load_id IN (SELECT load_id FROM ods.load_commit)
    ),
    counted AS
    (
        SELECT
            epoch,
            day,
            part,
            countIf(is_raw) AS raw,
            countIf(fate = 'typed') AS typed,
            countIf(fate = 'rejected') AS rejected,
            countIf(is_pending) AS pending,
            minOrNullIf(ingested_at, is_pending) AS pending_since,
            maxOrNullIf(at, fate = 'stored') AS last_stored,
            sumIf(row_hash, is_raw) AS raw_hash,
            sumIf(row_hash, fate != 'stored' OR is_pending) AS taken_hash
        FROM
        (
            SELECT
                fate.epoch AS epoch,
                ifNull(toString(fate.day), '') AS day,
                fate.fate AS fate,
                fate._partition AS part,
                fate._offset AS at,
                fate.ingested_at AS ingested_at,
                cityHash64(fate._partition, fate._offset) AS row_hash,
                fate.ingested_at < now() - INTERVAL 30 DAY
                    AND (oldest.oldest_offset IS NULL OR fate._offset < oldest.oldest_offset) AS is_expired,
                fate = 'stored' OR is_expired AS is_raw,
                fate = 'stored' AND (watermark.offset_to IS NULL OR fate._offset > watermark.offset_to) AS is_pending
            FROM fate
            LEFT JOIN watermark ON fate.epoch = watermark.epoch AND fate._partition = watermark._partition
            LEFT JOIN oldest ON fate.epoch = oldest.epoch AND fate._partition = oldest._partition
            WHERE fate.epoch != {epoch:UInt64} OR empty({ends:Map(Int32, Int64)})
                OR fate._offset < {ends:Map(Int32, Int64)}[fate._partition]
        )
        GROUP BY epoch, day, part
    )
SELECT
    epoch,
    {stream:String} AS stream,
    day,
    sum(counted.raw) AS raw,
    sum(counted.typed) AS typed,
    sum(counted.rejected) AS rejected,
    sum(counted.pending) AS pending,
    dateDiff('second', minOrNull(pending_since), now64(6, 'UTC')) AS pending_seconds,
    sum(raw_hash) = sum(taken_hash) AS same_rows,
    mapSort(mapFromArrays(groupArrayIf(part, isNotNull(last_stored)), groupArrayIf(assumeNotNull(last_stored), isNotNull(last_stored)))) AS stored
FROM counted
GROUP BY epoch, day
ORDER BY epoch, day
SETTINGS join_use_nulls = 1;
