-- Raw messages below the watermark that are neither typed nor rejected: the rows to look at.
WITH watermark AS
(
    SELECT stream, epoch, _partition, max(offset_to) AS offset_to
    FROM ods.load_range
    WHERE load_id IN (SELECT load_id FROM ods.load_commit)
    GROUP BY stream, epoch, _partition
)
SELECT * FROM
(
SELECT 'browser' AS stream, raw.epoch AS epoch, raw._partition AS partition, raw._offset AS offset, raw._key AS key
FROM stg.browser_raw AS raw FINAL
INNER JOIN watermark
    ON watermark.stream = 'browser' AND raw.epoch = watermark.epoch AND raw._partition = watermark._partition
WHERE raw._offset <= watermark.offset_to
    AND (raw.epoch, raw._partition, raw._offset) NOT IN (SELECT epoch, _partition, _offset FROM ods.browser_event)
    AND (raw.epoch, raw._partition, raw._offset) NOT IN
    (SELECT epoch, _partition, _offset FROM ods.browser_event_errors WHERE NOT is_typed)
UNION ALL
SELECT 'location' AS stream, raw.epoch AS epoch, raw._partition AS partition, raw._offset AS offset, raw._key AS key
FROM stg.location_raw AS raw FINAL
INNER JOIN watermark
    ON watermark.stream = 'location' AND raw.epoch = watermark.epoch AND raw._partition = watermark._partition
WHERE raw._offset <= watermark.offset_to
    AND (raw.epoch, raw._partition, raw._offset) NOT IN (SELECT epoch, _partition, _offset FROM ods.location_event)
    AND (raw.epoch, raw._partition, raw._offset) NOT IN
    (SELECT epoch, _partition, _offset FROM ods.location_event_errors WHERE NOT is_typed)
UNION ALL
SELECT 'device' AS stream, raw.epoch AS epoch, raw._partition AS partition, raw._offset AS offset, raw._key AS key
FROM stg.device_raw AS raw FINAL
INNER JOIN watermark
    ON watermark.stream = 'device' AND raw.epoch = watermark.epoch AND raw._partition = watermark._partition
WHERE raw._offset <= watermark.offset_to
    AND (raw.epoch, raw._partition, raw._offset) NOT IN (SELECT epoch, _partition, _offset FROM ods.device_event)
    AND (raw.epoch, raw._partition, raw._offset) NOT IN
    (SELECT epoch, _partition, _offset FROM ods.device_event_errors WHERE NOT is_typed)
UNION ALL
SELECT 'geo' AS stream, raw.epoch AS epoch, raw._partition AS partition, raw._offset AS offset, raw._key AS key
FROM stg.geo_raw AS raw FINAL
INNER JOIN watermark
    ON watermark.stream = 'geo' AND raw.epoch = watermark.epoch AND raw._partition = watermark._partition
WHERE raw._offset <= watermark.offset_to
    AND (raw.epoch, raw._partition, raw._offset) NOT IN (SELECT epoch, _partition, _offset FROM ods.geo_event)
    AND (raw.epoch, raw._partition, raw._offset) NOT IN
    (SELECT epoch, _partition, _offset FROM ods.geo_event_errors WHERE NOT is_typed)
)
ORDER BY stream, epoch, partition, offset
LIMIT 20;
