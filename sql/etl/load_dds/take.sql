-- The views of the candidates read the range from here.
TRUNCATE TABLE dds.work_range;

INSERT INTO dds.work_range SELECT {from_load:UInt64}, {to_load:UInt64};
