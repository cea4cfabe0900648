-- Rows of each table that leave: messages in dm_internal.swept_message, and rows of sessions older than dm keeps.
WITH
    found AS (SELECT _topic, epoch, _partition, _offset FROM dm_internal.swept_message),
    old AS
    (
        SELECT click_id FROM closing WHERE last_at < toDateTime({dm_before:UInt32})
        UNION ALL
        SELECT click_id FROM dds.expired_click WHERE NOT has_left AND last_at < toDateTime({dm_before:UInt32})
    )
SELECT table, rows
FROM
(
    SELECT 1 AS position, concat('ods.', _table) AS table, count() AS rows FROM merge('ods', '_event(_errors)?$')
    WHERE (_topic, epoch, _partition, _offset) IN found
    GROUP BY _table
    UNION ALL
    SELECT 2, concat(_database, '.', _table), count() FROM merge(REGEXP('^(dds|dm)$'), '^(event|click|event_enriched|session|page_view)$')
    WHERE click_id IN old
    GROUP BY _database, _table
)
ORDER BY position, table;
