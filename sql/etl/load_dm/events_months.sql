-- Built beside what there is, the result moves over month by month; built from nothing, it is exchanged.
SELECT DISTINCT toStartOfMonth(event_date) AS month FROM dm.event_enriched_build WHERE {from_load:UInt64} > 0;
