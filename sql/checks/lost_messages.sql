-- Raw messages of one stream below the watermark that are neither typed nor rejected by a committed load.
-- {typed} and {errors}: tables of ods.
WITH
    committed AS (SELECT load_id FROM ods.load_commit),
    watermark AS
    (
        SELECT epoch, _partition, max(offset_to) AS offset_to
        FROM ods.load_range
        WHERE stream = {stream:String} AND load_id IN committed
        GROUP BY epoch, _partition
    )
SELECT
    {stream:String} AS stream,
    raw.epoch AS epoch,
    raw._partition AS partition,
    raw._offset AS offset,
    raw._key AS key
FROM stg.raw AS raw FINAL
INNER JOIN watermark ON raw.epoch = watermark.epoch AND raw._partition = watermark._partition
WHERE raw._topic = {topic:String}
    AND raw._offset <= watermark.offset_to
    AND (raw.epoch, raw._partition, raw._offset) NOT IN
    (SELECT epoch, _partition, _offset FROM ods.{typed:Identifier} WHERE load_id IN committed)
    AND (raw.epoch, raw._partition, raw._offset) NOT IN
    (SELECT epoch, _partition, _offset FROM ods.{errors:Identifier} WHERE (NOT is_typed OR has(markers, 'expired')) AND load_id IN committed)
ORDER BY epoch, partition, offset
LIMIT 5;
