-- Sessions that this load changes: their older events are read again and their previous rows deleted. A
-- session may have lost its last event to another one and disappears.
TRUNCATE TABLE dm.work_former;

INSERT INTO dm.work_former
SELECT click_id FROM dds.click
WHERE {from_load:UInt64} > 0
    AND if(load_id > {from_load:UInt64}, is_rewritten, click_id IN (SELECT click_id FROM dds.event WHERE load_id > {from_load:UInt64}))
UNION ALL
-- Rows appended by an interrupted load.
SELECT click_id FROM dm.session
WHERE {from_load:UInt64} > 0 AND click_id IN (SELECT click_id FROM dds.click WHERE load_id > {from_load:UInt64});
