-- Lines whose last value goes on in the next line, or would if they were within a value; each with the next line that
-- does not stay within the value.
WITH signed AS
(
    SELECT
        number,
        match(text, {opens:String}) AS opens,
        multiIf(match(text, {stays:String}), '', match(text, {closes:String}), 'closes', match(text, {reopens:String}), 'reopens', 'breaks') AS kind
    FROM line
    WHERE number > 0 AND (position(text, {sign:String}) > 0 OR {sign:String} = '')
)
SELECT number, opens, ifNull(later.1, 0) AS next, ifNull(later.2, '') AS next_kind
FROM
(
    SELECT *, last_value(if(kind = '', NULL, (number, kind)::Tuple(UInt64, String))) IGNORE NULLS OVER (ORDER BY number DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS later
    FROM signed
)
WHERE opens OR kind = 'reopens'
ORDER BY number;
