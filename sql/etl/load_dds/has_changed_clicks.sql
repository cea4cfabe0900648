SELECT count() AS count FROM dds.work_touched WHERE kind = 'click';
