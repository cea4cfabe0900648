-- Says first that it begins: a load that is cut off here is undone by the next one.
INSERT INTO dm.load_commit (target, load_id) SELECT 'event_enriched begun', {to_load:UInt64};
INSERT INTO dm.event_enriched SELECT * FROM dm.event_enriched_build
SETTINGS max_partitions_per_insert_block = 0;
