ALTER TABLE dm_internal.page_view_build MOVE PARTITION {month:Date} TO TABLE dm.page_view;
