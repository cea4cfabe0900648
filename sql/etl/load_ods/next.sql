-- Number of this load, and per stream the lowest watermark of the latest loaded epoch's partitions.
WITH
    (SELECT max(epoch) FROM ods.load_range WHERE load_id IN (SELECT load_id FROM ods.load_commit)) AS latest_epoch,
    watermark AS
    (
        SELECT stream, _partition, max(offset_to) AS offset_to
        FROM ods.load_range
        WHERE epoch = latest_epoch AND load_id IN (SELECT load_id FROM ods.load_commit)
        GROUP BY stream, _partition
    )
SELECT
    (SELECT max(load_id) + 1 FROM ods.load_range) AS load_id,
    latest_epoch,
    (SELECT if(count() = 0, -1, min(offset_to)) FROM watermark WHERE stream = 'browser') AS browser_watermark,
    (SELECT if(count() = 0, -1, min(offset_to)) FROM watermark WHERE stream = 'location') AS location_watermark,
    (SELECT if(count() = 0, -1, min(offset_to)) FROM watermark WHERE stream = 'device') AS device_watermark,
    (SELECT if(count() = 0, -1, min(offset_to)) FROM watermark WHERE stream = 'geo') AS geo_watermark;
