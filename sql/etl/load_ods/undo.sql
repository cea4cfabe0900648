-- Undoes loads that were cut off: their rows first, their plan last, so that a second cut is no harm.
DELETE FROM ods.browser_event WHERE load_id NOT IN (SELECT load_id FROM ods.load_commit);
DELETE FROM ods.browser_event_errors WHERE load_id NOT IN (SELECT load_id FROM ods.load_commit);
DELETE FROM ods.location_event WHERE load_id NOT IN (SELECT load_id FROM ods.load_commit);
DELETE FROM ods.location_event_errors WHERE load_id NOT IN (SELECT load_id FROM ods.load_commit);
DELETE FROM ods.device_event WHERE load_id NOT IN (SELECT load_id FROM ods.load_commit);
DELETE FROM ods.device_event_errors WHERE load_id NOT IN (SELECT load_id FROM ods.load_commit);
DELETE FROM ods.geo_event WHERE load_id NOT IN (SELECT load_id FROM ods.load_commit);
DELETE FROM ods.geo_event_errors WHERE load_id NOT IN (SELECT load_id FROM ods.load_commit);
DELETE FROM ods.load_range WHERE load_id NOT IN (SELECT load_id FROM ods.load_commit);
