-- Adds the rows that the SELECT gives and that are no event. A row's number counts the unreadable rows before it.
INSERT INTO rejected
WITH before AS
(
    SELECT file, arrayMap((number, rank) -> number - rank, arraySort(groupArray(number)) AS numbers, arrayEnumerate(numbers)) AS shifted
    FROM rejected
    WHERE reason = 'unreadable row'
    GROUP BY file
)
SELECT
    event.row.file,
    event.row.number + arrayCount(number -> number < event.row.number, before.shifted) AS true_number,
    event.rejected,
    event.detail,
    input.content
FROM (SELECT row, toJSONString(tuple(* EXCEPT row)) AS content FROM input WHERE row IN (SELECT row FROM event WHERE rejected != '')) AS input
JOIN (SELECT row, rejected, detail FROM event WHERE rejected != '') AS event ON event.row = input.row
LEFT JOIN before ON event.row.file = before.file;
