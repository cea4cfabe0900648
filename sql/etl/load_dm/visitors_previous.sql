-- Visitors of the sessions that are replaced: a session may get another visitor.
INSERT INTO dm_internal.previous_visitor
SELECT DISTINCT assumeNotNull(user_custom_id) FROM dm.session
WHERE click_id IN (SELECT id FROM dm_internal.work_previous) AND isNotNull(user_custom_id);
