-- Fails under a newer lease: another run has taken over.
INSERT INTO dm.load_commit (target, load_id, lease_id)
SELECT 'event_enriched', {to_load:UInt64}, {lease_id:UInt64}
WHERE NOT throwIf((SELECT max(id) FROM stg.lease) > {lease_id:UInt64}, 'a newer lease is recorded in stg.lease');
TRUNCATE TABLE dm.event_enriched_build;
