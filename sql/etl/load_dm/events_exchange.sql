-- A full refresh shows its result at once and whole.
EXCHANGE TABLES dm.event_enriched AND dm.event_enriched_build;
