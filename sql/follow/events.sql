SELECT * FROM dds.event WHERE click_id = {click_id:UUID} ORDER BY event_timestamp, event_id;
