ALTER TABLE dm_internal.event_enriched_build MOVE PARTITION {month:Date} TO TABLE dm.event_enriched;
