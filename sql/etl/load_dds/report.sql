SELECT
    (SELECT count() FROM dds.event) AS events,
    (SELECT count() FROM dds.click) AS clicks,
    (SELECT sum(duplicates) FROM dds.event) AS duplicates;
