-- Replaces the table with a full build atomically.
EXCHANGE TABLES dm.session AND dm_internal.session_build;
