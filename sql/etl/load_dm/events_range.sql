-- Loads that dm.event_enriched lacks, and their number of events; all loads after a full refresh of dds.
WITH
    (SELECT max(load_id) FROM dm_internal.load_commit WHERE target = 'event_enriched') AS last_shown,
    (SELECT max(load_id) FROM dds.load_commit) AS last_integrated
SELECT last_shown AS from_load, last_integrated AS to_load, count() AS new_events
FROM dds.event
WHERE load_id > last_shown;
