-- There are ids of changed rows, and nobody needs them any more, because no published mart lacks a load of dds. A new
-- mart is computed as a whole.
SELECT count() = 0 AND (SELECT count() FROM merge('dm_internal', '^changed_')) > 0 AS count
FROM
(
    SELECT max(load_id) AS load_id FROM dm_internal.load_commit
    WHERE target IN {marts:Array(String)}
    GROUP BY target
)
WHERE load_id < (SELECT max(load_id) FROM dds.load_commit);
