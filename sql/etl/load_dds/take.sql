-- Drops the ids of finished loads. Those of an interrupted load, which began where this one begins, stay.
DELETE FROM dds.work_touched WHERE (SELECT count() FROM dds.work_range WHERE from_load != {from_load:UInt64}) > 0;

-- The candidate views read the range from here.
TRUNCATE TABLE dds.work_range;

INSERT INTO dds.work_range SELECT {from_load:UInt64}, {to_load:UInt64};
