-- Sessions of the history that changed since the last count, effects of an empty dm.truth, and rows whose effect is gone.
-- An effect whose segment has no session has no row, so a lack of some rows is no change.
WITH
    (SELECT max(load_id) FROM dm_internal.load_commit WHERE target = 'truth') AS last_load,
    (SELECT (min(history_from), max(history_until)) FROM dm_internal.work_effect) AS history
SELECT
    (SELECT count() FROM dm_internal.work_effect WHERE (SELECT count() FROM dm.truth) = 0)
    + (SELECT count() FROM dm.truth WHERE (position, truth) NOT IN (SELECT position, truth FROM dm_internal.work_effect))
    + (
        SELECT count()
        FROM dm.session AS session
        LEFT SEMI JOIN
        (
            SELECT click_id FROM dds.event WHERE load_id > last_load
            UNION ALL
            SELECT click_id FROM dds.click WHERE load_id > last_load
        ) AS changed ON session.click_id = changed.click_id
        WHERE session.started_at >= history.1 AND session.started_at < history.2
    ) AS count
-- Spills to disk, because after a full refresh every session has changed.
SETTINGS join_algorithm = 'grace_hash', grace_hash_join_initial_buckets = 16, max_bytes_in_join = 500000000;
