SELECT max(load_id) + 1 AS load_id FROM ods.load_range;
