-- Replaces the table with a full build atomically.
EXCHANGE TABLES dm.event_enriched AND dm_internal.event_enriched_build;
