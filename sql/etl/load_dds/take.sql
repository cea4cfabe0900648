-- Ids that a finished load had set out to replace are done; those of one that was cut off, which began where
-- this one does, are not.
DELETE FROM dds.work_touched WHERE (SELECT count() FROM dds.work_range WHERE from_load != {from_load:UInt64}) > 0;

-- The views of the candidates read the range from here.
TRUNCATE TABLE dds.work_range;

INSERT INTO dds.work_range SELECT {from_load:UInt64}, {to_load:UInt64};
