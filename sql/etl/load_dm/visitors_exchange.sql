-- Replaces the table with a full build atomically.
EXCHANGE TABLES dm.visitor AND dm_internal.visitor_build;
