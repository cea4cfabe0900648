DELETE FROM dm.event_enriched WHERE event_id IN (SELECT id FROM dm.work_former);
