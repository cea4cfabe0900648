SELECT * FROM ods.device_event
WHERE click_id = {click_id:UUID} AND load_id IN (SELECT load_id FROM ods.load_commit)
ORDER BY epoch, _partition, _offset;
