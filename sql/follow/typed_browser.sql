SELECT * FROM ods.browser_event
WHERE click_id = {click_id:UUID} AND load_id IN (SELECT load_id FROM ods.load_commit)
ORDER BY event_timestamp, epoch, _partition, _offset;
