-- Loads of dds that a mart lacks, (from_load, to_load]; without from_load it must be computed as a whole. A mart
-- that reads another one is published up to the load of that one.
WITH
    (
        SELECT argMax((load_id, definition), (committed_at, load_id))
        FROM dm_internal.load_commit
        WHERE target = {target:String}
    ) AS last,
    (SELECT max(load_id) FROM dds.load_commit) AS integrated,
    (
        SELECT argMax(load_id, (committed_at, load_id))
        FROM dm_internal.load_commit
        WHERE target IN {sources:Array(String)}
    ) AS source
SELECT
    if(last.2 = {definition:String}, last.1, 0) AS from_load,
    if(empty({sources:Array(String)}), integrated, least(integrated, source)) AS to_load;
