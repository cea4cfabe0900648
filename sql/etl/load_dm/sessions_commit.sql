INSERT INTO dm.load_commit (target, load_id, lease_id)
SELECT 'session', {to_load:UInt64}, {lease_id:UInt64};
TRUNCATE TABLE dm.session_build;
