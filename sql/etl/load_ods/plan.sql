-- Plans the load: all offsets above the watermark, per stream, epoch and partition. The upper end is fixed
-- here, so that later messages wait for the next load. The primary key skips most rows below the watermark.
INSERT INTO ods.load_range (load_id, stream, epoch, _partition, offset_from, offset_to)
WITH watermark AS
(
    SELECT stream, epoch, _partition, max(offset_to) AS offset_to
    FROM ods.load_range
    GROUP BY stream, epoch, _partition
)
SELECT
    {load_id:UInt64} AS load_id,
    stored.stream,
    stored.epoch,
    stored._partition,
    if(watermark.stream = '', -1, watermark.offset_to) AS offset_from,
    stored.offset_to
FROM
(
    SELECT 'browser' AS stream, epoch, _partition, max(_offset) AS offset_to
    FROM stg.browser_raw
    WHERE epoch != {latest_epoch:UInt64}
        OR _offset > {browser_watermark:Int64}
        OR (epoch, _partition) NOT IN
        (SELECT epoch, _partition FROM ods.load_range WHERE stream = 'browser')
    GROUP BY epoch, _partition
    UNION ALL
    SELECT 'location' AS stream, epoch, _partition, max(_offset) AS offset_to
    FROM stg.location_raw
    WHERE epoch != {latest_epoch:UInt64}
        OR _offset > {location_watermark:Int64}
        OR (epoch, _partition) NOT IN
        (SELECT epoch, _partition FROM ods.load_range WHERE stream = 'location')
    GROUP BY epoch, _partition
    UNION ALL
    SELECT 'device' AS stream, epoch, _partition, max(_offset) AS offset_to
    FROM stg.device_raw
    WHERE epoch != {latest_epoch:UInt64}
        OR _offset > {device_watermark:Int64}
        OR (epoch, _partition) NOT IN
        (SELECT epoch, _partition FROM ods.load_range WHERE stream = 'device')
    GROUP BY epoch, _partition
    UNION ALL
    SELECT 'geo' AS stream, epoch, _partition, max(_offset) AS offset_to
    FROM stg.geo_raw
    WHERE epoch != {latest_epoch:UInt64}
        OR _offset > {geo_watermark:Int64}
        OR (epoch, _partition) NOT IN
        (SELECT epoch, _partition FROM ods.load_range WHERE stream = 'geo')
    GROUP BY epoch, _partition
) AS stored
LEFT JOIN watermark
    ON stored.stream = watermark.stream
    AND stored.epoch = watermark.epoch
    AND stored._partition = watermark._partition
WHERE stored.offset_to > offset_from;
