-- Loads of dds that a mart lacks, (from_load, to_load]; without from_load it must be computed as a whole, also if
-- someone has emptied it. A mart that reads other ones is published up to the first of their loads.
WITH
    (
        SELECT argMax((load_id, definition), (committed_at, load_id))
        FROM dm_internal.load_commit
        WHERE target = {target:String}
    ) AS last,
    (SELECT max(load_id) FROM dds.load_commit) AS integrated,
    (
        SELECT groupArray(load_id)
        FROM
        (
            SELECT argMax(load_id, (committed_at, load_id)) AS load_id
            FROM dm_internal.load_commit
            WHERE target IN {sources:Array(String)}
            GROUP BY target
        )
    ) AS published
SELECT
    if(last.2 = {definition:String} AND (SELECT count() FROM dm.{target:Identifier}) > 0, last.1, 0) AS from_load,
    multiIf(
        empty({sources:Array(String)}), integrated,
        length(published) < length({sources:Array(String)}), 0,
        least(integrated, arrayMin(published))) AS to_load;
