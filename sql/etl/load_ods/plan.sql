-- Plans the load: all offsets above the watermark, per stream, epoch and partition. The upper end is fixed
-- here, so that later messages wait for the next load. undo.sql has removed uncommitted ranges.
INSERT INTO ods.load_range (load_id, stream, epoch, _partition, offset_from, offset_to)
WITH
    watermark AS
    (
        SELECT stream, epoch, _partition, max(offset_to) AS offset_to
        FROM ods.load_range
        GROUP BY stream, epoch, _partition
    ),
    (SELECT max(epoch) FROM ods.load_range) AS latest_epoch,
    -- The lowest watermark of each stream in the latest epoch: with it, the primary key skips most loaded rows.
    (SELECT minMap(map(toString(stream), offset_to)) FROM watermark WHERE epoch = latest_epoch) AS lowest
SELECT
    {lease_id:UInt64} AS load_id,
    stored.stream,
    stored.epoch,
    stored._partition,
    if(watermark.stream = '', -1, watermark.offset_to) AS offset_from,
    stored.offset_to
FROM
(
    SELECT replaceOne(_topic, '_events', '') AS stream, epoch, _partition, max(_offset) AS offset_to
    FROM stg.raw
    WHERE epoch != latest_epoch
        OR (_topic = 'browser_events' AND _offset > lowest['browser'])
        OR (_topic = 'location_events' AND _offset > lowest['location'])
        OR (_topic = 'device_events' AND _offset > lowest['device'])
        OR (_topic = 'geo_events' AND _offset > lowest['geo'])
        OR (_topic, epoch, _partition) NOT IN (SELECT concat(stream, '_events'), epoch, _partition FROM ods.load_range)
    GROUP BY stream, epoch, _partition
) AS stored
LEFT JOIN watermark
    ON stored.stream = watermark.stream
    AND stored.epoch = watermark.epoch
    AND stored._partition = watermark._partition
WHERE stored.offset_to > offset_from;
