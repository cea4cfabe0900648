-- Loads that were planned but never committed: a former run was cut off.
SELECT count() AS count FROM ods.load_range WHERE load_id NOT IN (SELECT load_id FROM ods.load_commit);
