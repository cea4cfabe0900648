DELETE FROM dm.event_enriched WHERE event_id IN (SELECT id FROM dm_internal.work_previous);
