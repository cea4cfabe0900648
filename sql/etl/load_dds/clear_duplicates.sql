TRUNCATE TABLE dds.work_repeated;
