-- Says that rows are appended from here on: a load that is cut off is undone by the next one.
INSERT INTO dm.load_commit (target, load_id, lease_id)
SELECT 'event_enriched begun', {to_load:UInt64}, {lease_id:UInt64};
