TRUNCATE TABLE dds.changed_event;
TRUNCATE TABLE dds.changed_click;
TRUNCATE TABLE dds.changed_visitor;
TRUNCATE TABLE dds.changed_visitor_click;
TRUNCATE TABLE dds.changed_session;
TRUNCATE TABLE dds.changed_reach;
TRUNCATE TABLE dds.changed_month;
