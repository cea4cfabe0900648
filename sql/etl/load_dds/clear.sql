-- Empties dds, because a full refresh rebuilds it from ods. The commits of dm become void, but dm keeps its
-- content until it is rebuilt after the gate.
TRUNCATE TABLE dm_internal.load_commit;
TRUNCATE TABLE dds.load_commit;
TRUNCATE TABLE dds.work_touched;
TRUNCATE TABLE dds.event;
TRUNCATE TABLE dds.click;
