SELECT count() AS count FROM dm_internal.work_visitor;
