-- What is to be integrated: the loads of ods after the last one that dds has.
TRUNCATE TABLE dds.work_range;

INSERT INTO dds.work_range
SELECT
    (SELECT max(load_id) FROM dds.load_commit) AS from_load,
    (SELECT max(load_id) FROM ods.load_commit) AS to_load;
