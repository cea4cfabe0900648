-- Removes interrupted loads: rows first and plan last, so that an interrupted removal is repeated.
DELETE FROM ods.browser_event WHERE load_id < {lease_id:UInt64} AND load_id NOT IN (SELECT load_id FROM ods.load_commit);
DELETE FROM ods.browser_event_errors WHERE load_id < {lease_id:UInt64} AND load_id NOT IN (SELECT load_id FROM ods.load_commit);
DELETE FROM ods.location_event WHERE load_id < {lease_id:UInt64} AND load_id NOT IN (SELECT load_id FROM ods.load_commit);
DELETE FROM ods.location_event_errors WHERE load_id < {lease_id:UInt64} AND load_id NOT IN (SELECT load_id FROM ods.load_commit);
DELETE FROM ods.device_event WHERE load_id < {lease_id:UInt64} AND load_id NOT IN (SELECT load_id FROM ods.load_commit);
DELETE FROM ods.device_event_errors WHERE load_id < {lease_id:UInt64} AND load_id NOT IN (SELECT load_id FROM ods.load_commit);
DELETE FROM ods.geo_event WHERE load_id < {lease_id:UInt64} AND load_id NOT IN (SELECT load_id FROM ods.load_commit);
DELETE FROM ods.geo_event_errors WHERE load_id < {lease_id:UInt64} AND load_id NOT IN (SELECT load_id FROM ods.load_commit);
DELETE FROM ods.load_range WHERE load_id < {lease_id:UInt64} AND load_id NOT IN (SELECT load_id FROM ods.load_commit);
