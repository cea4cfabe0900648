-- What became of the rows of the files: each is an event, or counted with the reason why it is none. Rows that the
-- SELECT leaves out are skipped; further events of a row that gives several are counted beside.
WITH
    (SELECT count() FROM rejected WHERE reason = 'unreadable row') AS unreadable,
    (SELECT (count(), uniqExact(row.file, row.number)) FROM event) AS given
SELECT outcome, reason, rows
FROM
(
    SELECT
        multiIf(
            event.rejected != '', ('rejected', toString(event.rejected)),
            event.skipped != '', ('skipped', toString(event.skipped)),
            isNull(later.is_equal), ('event', ''),
            later.is_equal, ('equal row', ''),
            ('repeated id', '')) AS outcome_reason,
        outcome_reason.1 AS outcome,
        outcome_reason.2 AS reason,
        count() AS rows
    FROM event
    LEFT JOIN (SELECT row, toNullable(is_equal) AS is_equal FROM repeated) AS later ON event.row = later.row
    GROUP BY outcome_reason
    UNION ALL
    SELECT ('', ''), outcome, reason, toUInt64(rows)
    FROM
    (
        SELECT arrayJoin([
            ('rejected', 'unreadable row', toInt64(unreadable)),
            ('skipped', 'left out by the SELECT', toInt64((SELECT sum(rows) FROM file)) - unreadable - given.2),
            ('further event', '', toInt64(given.1) - given.2)]) AS part, part.1 AS outcome, part.2 AS reason, part.3 AS rows
    )
)
WHERE rows > 0
ORDER BY outcome, rows DESC, reason;
