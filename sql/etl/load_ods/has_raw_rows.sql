SELECT sum(rows) AS count
FROM
(
    SELECT count() AS rows FROM stg.browser_raw
    UNION ALL
    SELECT count() FROM stg.location_raw
    UNION ALL
    SELECT count() FROM stg.device_raw
    UNION ALL
    SELECT count() FROM stg.geo_raw
);
