-- Sessions to erase whose messages have left ods.
SELECT count() AS count
FROM dds.expired_click
WHERE sipHash128Keyed((SELECT (low, high) FROM stg.erasure_key), toString(click_id)) IN (SELECT hash FROM stg.erased);
