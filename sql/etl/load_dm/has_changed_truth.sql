-- Sessions of the history that changed since the last count, effects of an empty dm.truth, and rows whose effect is gone.
-- An effect whose segment has no session has no row, so a lack of some rows is no change.
WITH
    (SELECT max(load_id) FROM dm_internal.load_commit WHERE target = 'truth') AS last_load,
    (SELECT (min(history_from), max(history_until)) FROM dm_internal.work_effect) AS history
SELECT
    (SELECT count() FROM dm_internal.work_effect WHERE (SELECT count() FROM dm.truth) = 0)
    + (SELECT count() FROM dm.truth WHERE (position, truth) NOT IN (SELECT position, truth FROM dm_internal.work_effect))
    -- dm_internal.changed_session may have forgotten what loads before the previous one changed.
    + (SELECT last_load = 0 OR last_load < max(load_id) FROM dds.load_commit WHERE load_id < (SELECT max(load_id) FROM dds.load_commit))
    + (
        SELECT count()
        FROM dm.session
        WHERE started_at >= history.1 AND started_at < history.2
            AND click_id IN (SELECT click_id FROM dm_internal.changed_session WHERE load_id > last_load)
    ) AS count;
