-- The changed rows take the place of their former versions.
DELETE FROM dm.event_enriched WHERE event_id IN (SELECT event_id FROM dm.event_enriched_build);
INSERT INTO dm.event_enriched SELECT * FROM dm.event_enriched_build;
