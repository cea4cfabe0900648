-- tier: all
-- Device rows for load_dds: the new ones, and older ones that share an id with them.
CREATE VIEW IF NOT EXISTS dds.device_candidate AS
SELECT *
FROM ods.device_event
WHERE load_id > (SELECT max(from_load) FROM dds.work_range)
    AND load_id <= (SELECT max(to_load) FROM dds.work_range)
UNION ALL
SELECT *
FROM ods.device_event
WHERE load_id <= (SELECT max(from_load) FROM dds.work_range)
    AND click_id IN (SELECT id FROM dds.work_touched WHERE kind = 'click');
