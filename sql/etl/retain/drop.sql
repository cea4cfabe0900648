-- Lets sessions leave dds, whose next computation keeps the other ones in dds.expired_click, and dm, which is computed from dds.
INSERT INTO dds.expiry
SELECT * REPLACE ((SELECT count() FROM dds.expired_click WHERE NOT has_left AND last_at < toDateTime({dm_before:UInt32})) AS sessions, now64(6) AS written_at)
FROM dds.expiry FINAL
WHERE id = {expiry_id:UInt64};

ALTER TABLE dds.expired_click UPDATE has_left = true WHERE last_at < toDateTime({dm_before:UInt32}) SETTINGS mutations_sync = 2;
