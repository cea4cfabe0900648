-- Fails under a newer lease: another run has taken over, and this version of dds is not its own.
-- Empties the scratch last, so that the run after an interrupted load finds the ids it was replacing.
INSERT INTO dds.load_commit (load_id, lease_id)
SELECT {to_load:UInt64}, {lease_id:UInt64}
WHERE NOT throwIf((SELECT max(id) FROM stg.lease) > {lease_id:UInt64}, 'a newer lease is recorded in stg.lease');
TRUNCATE TABLE dds.work_touched;
TRUNCATE TABLE dds.work_repeated;
