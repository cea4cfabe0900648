TRUNCATE TABLE dm.session_build;
