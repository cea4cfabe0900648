-- Range of committed loads of ods after the last one in dds. It excludes interrupted loads, which have a
-- higher number, or which a later load_ods has removed. Counts the larger stream, because locations may come
-- late and all at once.
WITH
    (SELECT max(load_id) FROM dds.load_commit) AS last_integrated,
    (SELECT max(load_id) FROM ods.load_commit) AS last_loaded,
    (
        SELECT count() FROM ods.location_event
        WHERE load_id > last_integrated AND load_id <= last_loaded
    ) AS new_locations
SELECT last_integrated AS from_load, last_loaded AS to_load, greatest(count(), new_locations) AS new_events
FROM ods.browser_event
WHERE load_id > last_integrated AND load_id <= last_loaded;
