INSERT INTO dm.load_commit (target, load_id) SELECT 'session', {to_load:UInt64};
TRUNCATE TABLE dm.session_build;
