SELECT
    (SELECT count() FROM stg.browser_raw)
    + (SELECT count() FROM stg.location_raw)
    + (SELECT count() FROM stg.device_raw)
    + (SELECT count() FROM stg.geo_raw) AS count;
