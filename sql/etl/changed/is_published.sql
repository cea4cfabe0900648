-- No table above ods lacks a load of dds, so that nobody needs the ids any more.
SELECT count() = 0 AS count
FROM (SELECT max(load_id) AS load_id FROM dm_internal.load_commit WHERE target != 'truth' GROUP BY target)
WHERE load_id < (SELECT max(load_id) FROM dds.load_commit);
