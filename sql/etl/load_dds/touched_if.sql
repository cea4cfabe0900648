-- After a full refresh nothing is older than what is loaded.
SELECT (SELECT max(from_load) FROM dds.work_range) + (SELECT count() FROM dds.event) AS count;
