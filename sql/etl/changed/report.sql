SELECT count() AS events, (SELECT count() FROM dds.click) AS clicks, sum(duplicates) AS duplicates
FROM dds.event;
