-- tier: all
-- Scratch of load_dm_events: changed rows before they move to dm.event_enriched.
CREATE TABLE IF NOT EXISTS dm_internal.event_enriched_build AS dm.event_enriched;
