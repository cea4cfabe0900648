-- The former versions of visits that changed. A visit may also have lost its last event to another
-- one: its session goes and none comes.
DELETE FROM dm.session
WHERE click_id IN (SELECT click_id FROM dds.event WHERE load_id > {from_load:UInt64})
    OR click_id IN (SELECT click_id FROM dds.click WHERE load_id > {from_load:UInt64});
