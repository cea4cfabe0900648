-- Ids that are given more than once. An event of equal content is of an equal row.
INSERT INTO repeated
SELECT event_id, min(first).1, min(first).2, sum(events) - 1, argMin(events, first) - 1
FROM
(
    SELECT event_id, row.content AS content, min((row, visit)) AS first, count() AS events
    FROM event
    WHERE rejected = '' AND skipped = ''
        AND event_id IN (SELECT event_id FROM event WHERE rejected = '' AND skipped = '' GROUP BY event_id HAVING count() > 1)
    GROUP BY event_id, content
)
GROUP BY event_id;
