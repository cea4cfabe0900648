-- A visitor who lost the last session disappears.
DELETE FROM dm.visitor WHERE user_custom_id IN (SELECT user_custom_id FROM dm_internal.work_visitor);

ALTER TABLE dm_internal.visitor_build MOVE PARTITION tuple() TO TABLE dm.visitor;
