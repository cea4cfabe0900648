-- Visits of before that this load changes: their older events are read again, and their former sessions
-- go. A visit may also have lost its last event to another one: its session goes and none comes.
TRUNCATE TABLE dm.work_former;

INSERT INTO dm.work_former
SELECT click_id FROM dds.click
WHERE {from_load:UInt64} > 0
    AND if(load_id > {from_load:UInt64}, is_rewritten, click_id IN (SELECT click_id FROM dds.event WHERE load_id > {from_load:UInt64}))
UNION ALL
-- What a load that was cut off had appended.
SELECT click_id FROM dm.session
WHERE {from_load:UInt64} > 0 AND click_id IN (SELECT click_id FROM dds.click WHERE load_id > {from_load:UInt64});
