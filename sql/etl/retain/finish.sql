INSERT INTO dds.expiry
SELECT * REPLACE (now64(6) AS finished_at, now64(6) AS written_at)
FROM dds.expiry FINAL
WHERE id = {expiry_id:UInt64};

TRUNCATE TABLE dm_internal.swept_message;
