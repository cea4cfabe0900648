-- Rows that this load will write anew.
DELETE FROM dds.event WHERE event_id IN (SELECT id FROM dds.work_touched WHERE kind = 'event');
DELETE FROM dds.click WHERE click_id IN (SELECT id FROM dds.work_touched WHERE kind = 'click');
