-- Loads that were planned but never committed: an earlier run was interrupted.
SELECT count() AS count FROM ods.load_range
WHERE load_id < {lease_id:UInt64} AND load_id NOT IN (SELECT load_id FROM ods.load_commit);
