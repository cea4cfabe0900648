-- What became of the rows of the files: each is an event, or counted with the reason why it is none. Rows that the
-- SELECT leaves out are skipped; further events of a row that gives several are counted beside.
WITH
    (SELECT count() FROM rejected WHERE reason = 'unreadable row') AS unreadable,
    (SELECT (count(), uniqExact(row.file, row.number)) FROM event) AS given,
    (SELECT (sum(later), sum(equal)) FROM repeated) AS again
SELECT outcome, reason, rows
FROM
(
    SELECT
        multiIf(rejected != '', 'rejected', skipped != '', 'skipped', 'event') AS outcome,
        toString(multiIf(rejected != '', rejected, skipped)) AS reason,
        count() - if(outcome = 'event', again.1, 0) AS rows
    FROM event
    GROUP BY outcome, reason
    UNION ALL
    SELECT outcome, reason, rows
    FROM
    (
        SELECT arrayJoin([
            ('equal row', '', toInt64(again.2)),
            ('repeated id', '', toInt64(again.1 - again.2)),
            ('rejected', 'unreadable row', toInt64(unreadable)),
            ('skipped', 'left out by the SELECT', toInt64((SELECT sum(rows) FROM file)) - unreadable - given.2),
            ('further event', '', toInt64(given.1) - given.2)]) AS part, part.1 AS outcome, part.2 AS reason, part.3 AS rows
    )
)
WHERE rows > 0
ORDER BY outcome, rows DESC, reason;
