-- Whether the steps after load_ods would change nothing: one run did all of them, with the present definitions, and
-- nothing that they read has come since it began.
WITH
    (SELECT max(load_id) FROM ods.load_commit) AS loaded,
    (SELECT argMax((load_id, definition, lease_id), lease_id) FROM dds.load_commit) AS integrated,
    integrated.3 AS last_run,
    (SELECT min(acquired_at) FROM stg.lease WHERE id = last_run) AS began_at,
    (SELECT argMax((lease_id, orphan_events, events, clicks), checked_at) FROM dds.integrity_check) AS checked,
    (
        SELECT groupArray(target)
        FROM
        (
            SELECT toString(target) AS target FROM dm_internal.load_commit
            GROUP BY target
            HAVING argMax((load_id, definition, lease_id), (committed_at, load_id)) = (loaded, {definition:String}, last_run)
        )
    ) AS published,
    (
        SELECT groupArray(_table)
        FROM (SELECT _table FROM merge('dm', concat('^(', arrayStringConcat({marts:Array(String)}, '|'), ')$')) GROUP BY _table)
    ) AS filled,
    (SELECT max((load_id, lease_id)) FROM dm_internal.load_commit WHERE target = 'truth') AS compared,
    (
        SELECT sum(JSONLength(manifest, 'truth', 'effects'))
        FROM stg.manifest FINAL
        WHERE epoch = (SELECT max(epoch) FROM stg.epoch)
    ) AS effects,
    (SELECT count() FROM dm.truth) AS estimates
SELECT
    (integrated.1, integrated.2) = (loaded, {dds_definition:String})
    AND checked = (last_run, 0, (SELECT count() FROM dds.event), (SELECT count() FROM dds.click))
    AND hasAll(published, {marts:Array(String)})
    AND (estimates > 0) = (effects > 0)
    AND (effects = 0 OR compared = (loaded, last_run))
    -- A later run may have begun a step without an end.
    AND (SELECT max(id) FROM stg.lease WHERE startsWith(step, 'load_d')) = last_run
    -- Someone may have emptied a mart.
    AND hasAll(filled, {marts:Array(String)})
    AND (SELECT count() FROM stg.raw) = (SELECT sum(value) FROM dm.dq_summary WHERE layer = 'stg')
    AND (SELECT max(started_at) FROM stg.epoch) < began_at
    AND (SELECT max(stored_at) FROM stg.manifest) < began_at
    AND (SELECT max(written_at) FROM dds.expiry) < began_at
    AS count;
