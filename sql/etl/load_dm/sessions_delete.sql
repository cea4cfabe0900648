DELETE FROM dm.session WHERE click_id IN (SELECT id FROM dm_internal.work_previous);

DELETE FROM dm.page_view WHERE click_id IN (SELECT id FROM dm_internal.work_previous);
