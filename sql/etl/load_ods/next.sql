-- Returns the lease's number as load id and, per stream, the lowest watermark of the latest loaded epoch.
-- undo.sql has removed uncommitted ranges.
WITH (SELECT max(epoch) FROM ods.load_range) AS latest_epoch
SELECT
    {lease_id:UInt64} AS load_id,
    latest_epoch,
    ifNull(minOrNullIf(offset_to, stream = 'browser'), -1) AS browser_watermark,
    ifNull(minOrNullIf(offset_to, stream = 'location'), -1) AS location_watermark,
    ifNull(minOrNullIf(offset_to, stream = 'device'), -1) AS device_watermark,
    ifNull(minOrNullIf(offset_to, stream = 'geo'), -1) AS geo_watermark
FROM
(
    SELECT stream, _partition, max(offset_to) AS offset_to
    FROM ods.load_range
    WHERE epoch = latest_epoch
    GROUP BY stream, _partition
);
