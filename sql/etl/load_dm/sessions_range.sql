-- Loads that dm.session lacks, and their number of events; all loads after a full refresh of dds, if the last
-- load had another funnel, or if dm.page_view is empty.
WITH
    (
        SELECT if(argMax(funnel, (load_id, committed_at)) = {funnel:String} AND (SELECT count() FROM dm.page_view) > 0, max(load_id), 0)
        FROM dm_internal.load_commit
        WHERE target = 'session'
    ) AS last_shown,
    (SELECT max(load_id) FROM dds.load_commit) AS last_integrated
SELECT last_shown AS from_load, last_integrated AS to_load, count() AS new_events
FROM dds.event
WHERE load_id > last_shown;
