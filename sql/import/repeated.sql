-- Later rows of each id that is given more than once.
INSERT INTO repeated
SELECT row, content = first
FROM
(
    SELECT
        row,
        row.content AS content,
        row_number() OVER by_id AS number,
        first_value(row.content) OVER by_id AS first
    FROM event
    WHERE rejected = '' AND skipped = ''
        AND event_id IN (SELECT event_id FROM event WHERE rejected = '' AND skipped = '' GROUP BY event_id HAVING count() > 1)
    WINDOW by_id AS (PARTITION BY event_id ORDER BY row ROWS UNBOUNDED PRECEDING)
)
WHERE number > 1;
