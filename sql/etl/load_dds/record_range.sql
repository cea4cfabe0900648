-- Drops the ids of finished loads; the ids of an interrupted load, which began at the same load, stay.
DELETE FROM dds.work_touched WHERE (SELECT count() FROM dds.work_range WHERE from_load != {from_load:UInt64}) > 0;

-- Records the range for the candidate views.
TRUNCATE TABLE dds.work_range;

INSERT INTO dds.work_range SELECT {from_load:UInt64}, {to_load:UInt64};
