TRUNCATE TABLE dm_internal.session_build;

TRUNCATE TABLE dm_internal.page_view_build;
