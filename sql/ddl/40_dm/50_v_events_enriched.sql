-- tier: all
CREATE VIEW IF NOT EXISTS dm.v_events_enriched
    COMMENT 'One row per event for BI; key event_id. A filter by event_timestamp or event_date reads only its granules.'
AS
SELECT *
FROM dm.event_enriched;
