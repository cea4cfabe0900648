-- tier: all
-- Scratch of load_dm_events: the rows that change, before they take their place in dm.event_enriched.
CREATE TABLE IF NOT EXISTS dm.event_enriched_build AS dm.event_enriched;
