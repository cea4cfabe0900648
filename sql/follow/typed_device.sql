SELECT * FROM ods.device_event WHERE click_id = {click_id:UUID} ORDER BY epoch, _partition, _offset;
