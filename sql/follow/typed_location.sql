SELECT * FROM ods.location_event
WHERE event_id IN (SELECT event_id FROM ods.browser_event WHERE click_id = {click_id:UUID})
    AND load_id IN (SELECT load_id FROM ods.load_commit)
ORDER BY epoch, _partition, _offset;
