INSERT INTO dm.load_commit (target, load_id, lease_id)
SELECT 'event_enriched', {to_load:UInt64}, {lease_id:UInt64};
TRUNCATE TABLE dm.event_enriched_build;
