-- Adds the rows that the engine could not read, with their lines. The engine counts neither the lines that were not given to
-- it nor the further lines of a row.
INSERT INTO rejected
WITH
    (
        SELECT arrayMap((number, rank) -> number - rank, arraySort(groupArray(number)) AS numbers, arrayEnumerate(numbers))
        FROM rejected
        WHERE file = {file:UInt16} AND reason = 'unreadable row'
    ) AS earlier,
    failed AS
    (
        SELECT
            {file:UInt16} AS file,
            unread.number + arrayCount(one -> one < unread.number, earlier) AS number,
            multiIf(reason LIKE '%ERROR:%', extract(reason, '(?s)ERROR: (.*)'), reason = '', 'not of the format', reason) AS detail
        FROM unread
    ),
    placed AS
    (
        SELECT
            failed.number AS number,
            detail,
            toUInt64(if(long.number = failed.number, long.first, long.last + failed.number - long.number)) AS first,
            if(long.number = failed.number, long.last, first) AS last
        FROM failed
        ASOF LEFT JOIN long_row AS long ON failed.file = long.file AND failed.number >= long.number
    ),
    texts AS
    (
        SELECT number, detail, line.place AS place, line.text AS text
        FROM (SELECT number, detail, arrayJoin(range(first, last + 1)) AS at FROM placed) AS placed
        JOIN line ON placed.at = line.number
    )
SELECT
    {file:UInt16},
    number,
    'unreadable row',
    concat(if(min(place) = max(place), concat('line ', toString(min(place))), concat('lines ', toString(min(place)), ' to ', toString(max(place)))), ': ', any(detail)),
    arrayStringConcat(arrayMap(one -> one.2, arraySort(groupArray((place, text)))), '\n')
FROM texts
GROUP BY number;
