-- Commits the load of a mart; fails under a newer lease, because another run has taken over.
INSERT INTO dm_internal.load_commit (target, load_id, lease_id, definition)
SELECT {target:String}, {to_load:UInt64}, {lease_id:UInt64}, {definition:String}
WHERE NOT throwIf((SELECT max(id) FROM stg.lease) > {lease_id:UInt64}, 'a newer lease is recorded in stg.lease');
