-- Loads that were planned but not committed, and rows without a plan; the index of load_id skips all rows up
-- to the last commit.
WITH (SELECT max(load_id) FROM ods.load_commit) AS last_committed
SELECT sum(rows) AS count
FROM
(
    SELECT count() AS rows FROM ods.load_range
    WHERE load_id < {lease_id:UInt64} AND load_id NOT IN (SELECT load_id FROM ods.load_commit)
    UNION ALL
    SELECT count() FROM merge('ods', '_event(_errors)?$') WHERE load_id > last_committed AND load_id < {lease_id:UInt64}
);
