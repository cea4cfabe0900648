INSERT INTO dm.session SELECT * FROM dm.session_build
SETTINGS max_partitions_per_insert_block = 0;
