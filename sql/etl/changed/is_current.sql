-- Whether dds and all marts have the last load and their present definition, the gate is open, and nothing else that the
-- summary, the complete period and dm.truth read has changed since: then the steps after load_ods would change nothing.
WITH
    (SELECT max(load_id) FROM ods.load_commit) AS loaded,
    (SELECT argMax((load_id, definition, lease_id), lease_id) FROM dds.load_commit) AS integrated,
    (SELECT argMax((lease_id, orphan_events, events, clicks), checked_at) FROM dds.integrity_check) AS checked,
    (
        SELECT groupArray(target)
        FROM
        (
            SELECT toString(target) AS target FROM dm_internal.load_commit
            GROUP BY target
            HAVING argMax((load_id, definition), (committed_at, load_id)) = (loaded, {definition:String})
        )
    ) AS published,
    (SELECT groupArray(name) FROM system.tables WHERE database = 'dm' AND total_rows = 0) AS emptied,
    (SELECT max(computed_at) FROM dm.dq_summary) AS summarised
SELECT
    (integrated.1, integrated.2) = (loaded, {dds_definition:String})
    AND checked = (integrated.3, 0, (SELECT count() FROM dds.event), (SELECT count() FROM dds.click))
    AND (SELECT max(id) FROM stg.lease WHERE step = 'load_dds') = integrated.3
    AND hasAll(published, {marts:Array(String)})
    AND NOT hasAny(emptied, {marts:Array(String)})
    AND (SELECT count() FROM stg.raw) = (SELECT sum(value) FROM dm.dq_summary WHERE layer = 'stg')
    AND (SELECT max(started_at) FROM stg.epoch) < summarised
    AND (SELECT max(stored_at) FROM stg.manifest) < summarised
    AND (
        (SELECT max(load_id) FROM dm_internal.load_commit WHERE target = 'truth') = loaded
        OR (SELECT count() FROM dm.truth) + (SELECT countIf(JSONHas(manifest, 'truth')) FROM stg.manifest) = 0
    ) AS count;
