-- Commits the load; fails under a newer lease, because another run has taken over this version of dds.
INSERT INTO dds.load_commit (load_id, lease_id, definition)
SELECT {to_load:UInt64}, {lease_id:UInt64}, {dds_definition:String}
WHERE NOT throwIf((SELECT max(id) FROM stg.lease) > {lease_id:UInt64}, 'a newer lease is recorded in stg.lease');
