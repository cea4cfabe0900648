-- What became of the rows that the SELECT gives: each is an event, or counted with the reason why it is none.
SELECT outcome, reason, count() AS rows
FROM
(
    SELECT
        multiIf(
            event.rejected != '', 'rejected',
            event.skipped != '', 'skipped',
            isNull(later.is_equal), 'event',
            later.is_equal, 'equal row',
            'repeated id') AS outcome,
        concat(event.rejected, if(event.rejected = '', event.skipped, '')) AS reason
    FROM event
    LEFT JOIN (SELECT row, toNullable(is_equal) AS is_equal FROM repeated) AS later ON event.row = later.row
)
GROUP BY outcome, reason
ORDER BY outcome, rows DESC, reason;

-- Rows that the engine could not read, rows that the SELECT leaves out, and further events of a row that gives several.
WITH given AS (SELECT count() AS events, uniqExact(row.file, row.number) AS rows FROM event)
SELECT
    (SELECT count() FROM rejected WHERE reason = 'unreadable row') AS unreadable,
    (SELECT sum(rows) FROM file) - rows - unreadable AS left_out,
    events - rows AS further
FROM given;
