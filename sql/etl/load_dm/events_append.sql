INSERT INTO dm.event_enriched SELECT * FROM dm.event_enriched_build
SETTINGS max_partitions_per_insert_block = 0;
