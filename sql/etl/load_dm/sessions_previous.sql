-- Sessions that this load changes: it reads their older events again and deletes their previous rows. A
-- session that lost its last event to another one disappears.
TRUNCATE TABLE dm_internal.work_previous;

INSERT INTO dm_internal.work_previous
SELECT click_id FROM dds.click
WHERE {from_load:UInt64} > 0
    AND if(load_id > {from_load:UInt64}, is_rewritten, click_id IN (SELECT click_id FROM dds.event WHERE load_id > {from_load:UInt64}))
UNION ALL
-- Rows appended by an interrupted load.
SELECT click_id FROM dm.session
WHERE {from_load:UInt64} > 0 AND click_id IN (SELECT click_id FROM dds.click WHERE load_id > {from_load:UInt64});
