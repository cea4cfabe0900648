-- The session with the most kinds of markers, a rejected message and a purchase, but few pages. The result is
-- deterministic.
WITH
    committed AS (SELECT load_id FROM ods.load_commit),
    rejected AS
    (
        SELECT _key AS key, count() AS messages
        FROM merge('ods', '_event_errors$')
        WHERE NOT is_typed AND load_id IN committed
        GROUP BY key
    ),
    marked AS
    (
        SELECT click_id, groupUniqArrayArray(CAST(markers, 'Array(String)')) AS kinds
        FROM merge('dds', '^(event|click)$')
        WHERE notEmpty(markers)
        GROUP BY click_id
    )
SELECT toString(session.click_id) AS click_id
FROM dm.session AS session
LEFT JOIN marked ON session.click_id = marked.click_id
LEFT JOIN rejected ON toString(session.click_id) = rejected.key
ORDER BY
    session.page_events BETWEEN 4 AND 9 DESC,
    least(length(marked.kinds), 3) + 2 * (rejected.messages > 0) + session.has_purchase DESC,
    session.page_events,
    click_id
LIMIT 1;
