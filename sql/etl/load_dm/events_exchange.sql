-- Built from nothing, the result is shown at once and whole.
EXCHANGE TABLES dm.event_enriched AND dm.event_enriched_build;
