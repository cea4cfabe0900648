SELECT if({from_load:UInt64} = 0, 0, count()) AS count FROM dm.session
WHERE click_id IN (SELECT click_id FROM dds.event WHERE load_id > {from_load:UInt64})
    OR click_id IN (SELECT click_id FROM dds.click WHERE load_id > {from_load:UInt64});
