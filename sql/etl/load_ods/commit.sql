-- Makes the load's offsets the watermark; commits nothing without planned offsets. Fails under a newer lease,
-- because another run has taken over.
INSERT INTO ods.load_commit (load_id)
SELECT DISTINCT load_id FROM ods.load_range WHERE load_id = {lease_id:UInt64}
    AND NOT throwIf((SELECT max(id) FROM stg.lease) > {lease_id:UInt64}, 'a newer lease is recorded in stg.lease');
