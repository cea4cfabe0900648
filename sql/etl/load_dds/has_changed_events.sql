SELECT count() AS count FROM dds.event
WHERE event_id IN (SELECT id FROM dds.work_touched WHERE kind = 'event');
