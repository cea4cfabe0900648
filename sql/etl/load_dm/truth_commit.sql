-- Commits the load; fails under a newer lease, because another run has taken over.
INSERT INTO dm_internal.load_commit (target, load_id, lease_id)
SELECT 'truth', (SELECT max(load_id) FROM dds.load_commit), {lease_id:UInt64}
WHERE NOT throwIf((SELECT max(id) FROM stg.lease) > {lease_id:UInt64}, 'a newer lease is recorded in stg.lease');
