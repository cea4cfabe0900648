-- Plans what this load takes: per stream, epoch and partition, all offsets above the watermark.
-- The upper end is fixed here; messages that arrive meanwhile wait for the next load.
INSERT INTO ods.load_range (load_id, stream, epoch, _topic, _partition, offset_from, offset_to)
WITH watermark AS
(
    SELECT stream, epoch, _partition, max(offset_to) AS offset_to
    FROM ods.load_range
    WHERE load_id IN (SELECT load_id FROM ods.load_commit)
    GROUP BY stream, epoch, _partition
)
SELECT
    {load_id:UInt64} AS load_id,
    stored.stream,
    stored.epoch,
    stored.topic,
    stored._partition,
    if(watermark.stream = '', -1, watermark.offset_to) AS offset_from,
    stored.offset_to
FROM
(
    SELECT 'browser' AS stream, epoch, any(_topic) AS topic, _partition, max(_offset) AS offset_to
    FROM stg.browser_raw
    GROUP BY epoch, _partition
    UNION ALL
    SELECT 'location' AS stream, epoch, any(_topic) AS topic, _partition, max(_offset) AS offset_to
    FROM stg.location_raw
    GROUP BY epoch, _partition
    UNION ALL
    SELECT 'device' AS stream, epoch, any(_topic) AS topic, _partition, max(_offset) AS offset_to
    FROM stg.device_raw
    GROUP BY epoch, _partition
    UNION ALL
    SELECT 'geo' AS stream, epoch, any(_topic) AS topic, _partition, max(_offset) AS offset_to
    FROM stg.geo_raw
    GROUP BY epoch, _partition
) AS stored
LEFT JOIN watermark
    ON stored.stream = watermark.stream
    AND stored.epoch = watermark.epoch
    AND stored._partition = watermark._partition
WHERE stored.offset_to > offset_from;
