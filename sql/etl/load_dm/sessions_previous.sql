-- Sessions that this load changes: it reads their older events again and deletes their previous rows. A
-- session that lost its last event to another one disappears.
TRUNCATE TABLE dm_internal.work_previous;

INSERT INTO dm_internal.work_previous
SELECT click_id FROM dds.click
WHERE {from_load:UInt64} > 0
    AND if(load_id > {from_load:UInt64}, is_rewritten, click_id IN (SELECT click_id FROM dds.event WHERE load_id > {from_load:UInt64}))
UNION ALL
-- Rows appended by an interrupted load, which has a lease but no commit, and appends to dm.page_view first.
SELECT DISTINCT click_id FROM dm.page_view
WHERE {from_load:UInt64} > 0
    AND (SELECT max(id) FROM stg.lease WHERE step = 'load_dm_sessions' AND id < {lease_id:UInt64}) >
        (SELECT max(lease_id) FROM dm_internal.load_commit WHERE target = 'session')
    AND click_id IN (SELECT click_id FROM dds.click WHERE load_id > {from_load:UInt64});
