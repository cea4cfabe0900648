-- The loads of ods that dds lacks, (from_load, to_load]; a full refresh has no from_load.
SELECT
    if({full_refresh:Bool}, 0, (SELECT max(load_id) FROM dds.load_commit)) AS from_load,
    (SELECT max(load_id) FROM ods.load_commit) AS to_load;
