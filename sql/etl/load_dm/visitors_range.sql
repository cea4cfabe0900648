-- Loads of dm.session that dm.visitor lacks; all loads after a full refresh of dds, or if the last load had
-- another funnel, because then all sessions were computed again. Fails while dm.session is half-written.
WITH
    (SELECT max(id) FROM stg.lease WHERE step = 'load_dm_sessions') AS begun,
    (SELECT max(lease_id) FROM dm_internal.load_commit WHERE target = 'session') AS committed,
    (
        SELECT if(argMax(funnel, (load_id, committed_at)) = {funnel:String}, max(load_id), 0)
        FROM dm_internal.load_commit
        WHERE target = 'visitor'
    ) AS last_shown
SELECT last_shown AS from_load, max(load_id) AS to_load
FROM dm_internal.load_commit
WHERE target = 'session' AND NOT throwIf(begun > committed, 'load_dm_sessions has not finished: run it first');
