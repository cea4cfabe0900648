-- Makes the messages of the hits of a file, after they are typed. Repeating it gives the same rows, because each is named by
-- the number of a hit, and only what earlier files gave counts as earlier.

-- The first purchase of an order counts: no row is the first of a later one.
INSERT INTO repeated (event_id)
SELECT DISTINCT event_id
FROM event
WHERE event_type = 'purchase' AND order_id != '' AND rejected = '' AND skipped = ''
    AND (order_id, visitor_id, event_id) NOT IN
    (
        SELECT order_id, visitor_id, argMin(event_id, place)
        FROM
        (
            SELECT order_id, visitor_id, event_id, (first_hit, toDateTime64(0, 6, 'UTC'), toUInt64(0)) AS place
            FROM purchase
            WHERE epoch = {epoch:UInt64} AND first_hit < {first_hit:UInt64} AND order_id IN (SELECT order_id FROM event)
            UNION ALL
            SELECT order_id, visitor_id, event_id, ({first_hit:UInt64}, at, row.number)
            FROM event
            WHERE event_type = 'purchase' AND order_id != '' AND rejected = '' AND skipped = ''
        )
        GROUP BY order_id, visitor_id
    );

-- A visitor's latest session.
INSERT INTO earlier_session
SELECT visit, click_id, min(first_at) AS first_at, max(last_at) AS last_at, max(has_account)
FROM session
WHERE epoch = {epoch:UInt64} AND first_hit < {first_hit:UInt64} AND visit IN (SELECT visit FROM event)
GROUP BY visit, click_id
ORDER BY visit, last_at DESC
LIMIT 1 BY visit;

INSERT INTO message
SELECT * FROM message_of_file
SETTINGS output_format_json_validate_utf8 = 1, output_format_json_quote_64bit_integers = 0, output_format_json_escape_forward_slashes = 0;
