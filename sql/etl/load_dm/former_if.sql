SELECT count() AS count FROM dm.work_former;
