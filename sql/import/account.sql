-- What became of the rows of the files: each is an event, or counted with the reason why it is none. Rows that the
-- SELECT leaves out are skipped; further events of a row that gives several are counted beside.
WITH
    (SELECT count() FROM rejected WHERE reason = 'unreadable row') AS unreadable,
    (SELECT (sum(events), count()) FROM (SELECT count() AS events FROM event GROUP BY row.file, row.number)) AS given,
    (SELECT (sum(later), sum(equal)) FROM repeated) AS again,
    outcome AS
    (
        SELECT multiIf(rejected != '', 'rejected', skipped != '', 'skipped', 'event') AS name, toString(if(rejected != '', rejected, skipped)) AS reason, toInt64(count()) AS rows
        FROM event
        GROUP BY name, reason
        UNION ALL
        SELECT 'rejected', 'unreadable row', toInt64(unreadable)
        UNION ALL
        SELECT 'skipped', 'left out by the SELECT', toInt64((SELECT sum(read) FROM file)) - given.2
    )
SELECT
    (SELECT name FROM data_set) AS name,
    (SELECT groupArray((path, rows)::Tuple(path String, rows UInt64)) FROM (SELECT * FROM file ORDER BY number)) AS files,
    ifNull(sumIf(rows, outcome.name = 'event'), 0) - again.1 AS events,
    again.2 AS equal,
    again.1 - again.2 AS repeated,
    given.1 - given.2 AS further,
    CAST(arraySort(one -> -one.2, groupArrayIf((reason, rows), outcome.name = 'rejected' AND rows > 0)), 'Map(String, UInt64)') AS rejected,
    CAST(arraySort(one -> -one.2, groupArrayIf((reason, rows), outcome.name = 'skipped' AND rows > 0)), 'Map(String, UInt64)') AS skipped
FROM outcome;
