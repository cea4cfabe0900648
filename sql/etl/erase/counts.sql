-- Rows of each table that an erasure of the found messages empties, removes or computes again.
WITH
    (SELECT (low, high) FROM stg.erasure_key) AS secret,
    found AS (SELECT _topic, epoch, _partition, _offset FROM dm_internal.swept_message)
SELECT table, rows
FROM
(
    SELECT 1 AS position, 'stg.raw' AS table, count() AS rows FROM stg.raw
    WHERE (_topic, epoch, _partition, _offset) IN found
    UNION ALL
    SELECT 2, concat('ods.', _table), count() FROM merge('ods', '_event(_errors)?$')
    WHERE (_topic, epoch, _partition, _offset) IN found
    GROUP BY _table
    UNION ALL
    SELECT 3, concat(_database, '.', _table), count() FROM merge(REGEXP('^(dds|dm)$'), '^(event|click|expired_click|event_enriched|session|page_view)$')
    WHERE sipHash128Keyed(secret, toString(click_id)) IN dm_internal.erased
    GROUP BY _database, _table
    UNION ALL
    SELECT 4, 'dm.visitor', count() FROM dm.visitor
    WHERE user_custom_id IN (SELECT user_custom_id FROM dds.click WHERE sipHash128Keyed(secret, toString(click_id)) IN dm_internal.erased)
)
ORDER BY position, table;
