TRUNCATE TABLE dm_internal.visitor_build;
