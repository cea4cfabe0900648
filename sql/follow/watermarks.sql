-- One row per stream, epoch and partition: the highest offset of a finished load.
SELECT stream, epoch, _partition AS partition, max(offset_to) AS offset_to
FROM ods.load_range
WHERE load_id IN (SELECT load_id FROM ods.load_commit)
GROUP BY stream, epoch, _partition;
