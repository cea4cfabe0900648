-- Sessions of the history that changed since the last load, effects of an empty dm.truth, and rows whose effect is gone.
-- An effect whose segment has no session has no row, so a lack of some rows is no change.
WITH
    (SELECT max(load_id) FROM dm_internal.load_commit WHERE target = 'dq_summary') AS last_load,
    (SELECT (min(history_from), max(history_until)) FROM dm_internal.work_effect) AS history
SELECT
    (SELECT count() FROM dm_internal.work_effect WHERE (SELECT count() FROM dm.truth) = 0)
    + (SELECT count() FROM dm.truth WHERE (position, truth) NOT IN (SELECT position, truth FROM dm_internal.work_effect))
    + (
        SELECT count() FROM dm.session
        WHERE started_at >= history.1 AND started_at < history.2
            AND click_id IN (
                SELECT click_id FROM dds.event WHERE load_id > last_load
                UNION DISTINCT
                SELECT click_id FROM dds.click WHERE load_id > last_load)
    ) AS count;
