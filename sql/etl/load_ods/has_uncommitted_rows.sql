-- Rows of any load without a commit. Use it only with a full refresh, because it reads every load_id of ods.
SELECT count() AS count
FROM merge('ods', '_event(_errors)?$')
WHERE load_id < {lease_id:UInt64} AND load_id NOT IN (SELECT load_id FROM ods.load_commit);
