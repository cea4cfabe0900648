-- Replaces each table with a full build atomically.
EXCHANGE TABLES dm.session AND dm_internal.session_build;

EXCHANGE TABLES dm.page_view AND dm_internal.page_view_build;
