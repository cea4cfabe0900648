-- Shows a full build at once.
EXCHANGE TABLES dm.event_enriched AND dm.event_enriched_build;
