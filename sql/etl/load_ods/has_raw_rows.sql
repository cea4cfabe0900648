SELECT count() AS count FROM stg.raw;
