-- Commits the load; fails under a newer lease, because another run has taken over.
INSERT INTO dm_internal.load_commit (target, load_id, lease_id, funnel)
SELECT 'session', {to_load:UInt64}, {lease_id:UInt64}, {funnel:String}
WHERE NOT throwIf((SELECT max(id) FROM stg.lease) > {lease_id:UInt64}, 'a newer lease is recorded in stg.lease');
TRUNCATE TABLE dm_internal.session_build;

TRUNCATE TABLE dm_internal.page_view_build;
