-- Sessions that this load rewrites.
DELETE FROM dds.click WHERE click_id IN (SELECT id FROM dds.work_touched WHERE kind = 'click');
