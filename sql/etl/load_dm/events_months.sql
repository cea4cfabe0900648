-- An incremental build moves over month by month; a full one is exchanged.
SELECT DISTINCT toStartOfMonth(event_date) AS month FROM dm.event_enriched_build WHERE {from_load:UInt64} > 0;
