SELECT count() AS rows FROM dm.event_enriched;
