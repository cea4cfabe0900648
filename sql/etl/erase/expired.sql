-- Without these, the next computation of dds leaves out their sessions.
ALTER TABLE dds.expired_click
    DELETE WHERE sipHash128Keyed((SELECT (low, high) FROM stg.erasure_key), toString(click_id)) IN (SELECT hash FROM stg.erased)
    SETTINGS mutations_sync = 2;
