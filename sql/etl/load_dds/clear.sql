-- A full refresh rebuilds the layer from ods.
TRUNCATE TABLE dds.load_commit;
TRUNCATE TABLE dds.work_touched;
TRUNCATE TABLE dds.event;
TRUNCATE TABLE dds.click;
