-- The load is complete: its offsets become the watermark. Nothing planned, nothing committed.
INSERT INTO ods.load_commit (load_id)
SELECT DISTINCT load_id FROM ods.load_range WHERE load_id = {load_id:UInt64};
