-- A full refresh rebuilds the layer from ods. What dm had of it counts no longer, but dm keeps its
-- content until it is rebuilt behind the gate.
TRUNCATE TABLE dm.load_commit;
TRUNCATE TABLE dds.load_commit;
TRUNCATE TABLE dds.work_touched;
TRUNCATE TABLE dds.event;
TRUNCATE TABLE dds.click;
