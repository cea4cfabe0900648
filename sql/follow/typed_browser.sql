SELECT * FROM ods.browser_event WHERE click_id = {click_id:UUID} ORDER BY event_timestamp, epoch, _partition, _offset;
