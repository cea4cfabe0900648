TRUNCATE TABLE dm_internal.changed_event;
TRUNCATE TABLE dm_internal.changed_click;
TRUNCATE TABLE dm_internal.changed_visitor;
TRUNCATE TABLE dm_internal.changed_visitor_click;
TRUNCATE TABLE dm_internal.changed_session;
TRUNCATE TABLE dm_internal.changed_reach;
TRUNCATE TABLE dm_internal.changed_month;
