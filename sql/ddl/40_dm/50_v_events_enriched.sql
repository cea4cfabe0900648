-- tier: all
-- One row per page event for BI; key event_id. Filter by event_date: it prunes partitions and granules.
CREATE VIEW IF NOT EXISTS dm.v_events_enriched AS
SELECT *
FROM dm.event_enriched;
