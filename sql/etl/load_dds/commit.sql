-- The scratch goes last: a load that is cut off finds again what it had set out to replace.
INSERT INTO dds.load_commit (load_id, lease_id) SELECT {to_load:UInt64}, {lease_id:UInt64};
TRUNCATE TABLE dds.work_touched;
TRUNCATE TABLE dds.work_repeated;
