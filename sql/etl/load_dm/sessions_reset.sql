TRUNCATE TABLE dm_internal.session_build;
