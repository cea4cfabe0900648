-- The former versions of visits that changed. A visit may also have lost its last event to another
-- one: its session goes and none comes.
TRUNCATE TABLE dm.work_former;

INSERT INTO dm.work_former
SELECT click_id FROM dm.session
WHERE {from_load:UInt64} > 0 AND
(
    click_id IN (SELECT click_id FROM dds.event WHERE load_id > {from_load:UInt64})
    OR click_id IN (SELECT click_id FROM dds.click WHERE load_id > {from_load:UInt64} AND is_rewritten)
);
