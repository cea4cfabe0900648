TRUNCATE TABLE dm.event_enriched_build;
