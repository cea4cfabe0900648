-- Records the expiry, then its sessions, before their messages leave ods: until it has finished, a load continues it.
INSERT INTO dds.expiry (id, ods_before, dm_before)
SELECT {expiry_id:UInt64}, toDateTime({ods_before:UInt32}), toDateTime({dm_before:UInt32})
WHERE {expiry_id:UInt64} NOT IN (SELECT id FROM dds.expiry);

INSERT INTO dds.expired_click (click_id, messages, last_at, expiry_id)
SELECT click_id, messages, last_at, expiry_id FROM closing WHERE click_id NOT IN (SELECT click_id FROM dds.expired_click);
