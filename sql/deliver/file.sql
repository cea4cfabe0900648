-- Delivers the hits of a file, after they are typed. Repeating it gives the same rows, because each is named by the number
-- of a hit, and only what earlier files gave counts as earlier.

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

INSERT INTO purchase
SELECT order_id, visitor_id, event_id, {epoch:UInt64}, {first_hit:UInt64}
FROM kept_event
WHERE event_type = 'purchase' AND order_id != '';

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

-- One block is stored as a whole or not at all. The messages of a topic have ascending offsets, because a load reads
-- those above the last one.
INSERT INTO stg.raw (epoch, _topic, _partition, _offset, _key, raw)
SELECT {epoch:UInt64}, topic, 0, number, key, raw
FROM message
SETTINGS min_insert_block_size_rows = 100000000, min_insert_block_size_bytes = 0;

INSERT INTO session (visit, click_id, epoch, first_hit, first_at, last_at, has_account)
SELECT visit, click_id, {epoch:UInt64}, {first_hit:UInt64}, min(at), max(at), max(account_id != '')
FROM session_event
GROUP BY visit, click_id;

INSERT INTO outcome (number, protocol, received, is_bad, reason, body, event, location)
SELECT
    hit.number,
    hit.protocol,
    hit.received,
    hit.reason != '' OR event.rejected != '' AS is_bad,
    multiIf(
        hit.reason != '', hit.reason,
        event.detail != '', concat(event.rejected, ': ', event.detail),
        event.rejected != '', event.rejected,
        event.event_id IN (SELECT event_id FROM repeated), 'an order again',
        event.skipped),
    hit.body,
    browser.raw,
    location.raw
FROM hit
LEFT JOIN (SELECT row.number AS number, event_id, rejected, detail, skipped FROM event) AS event ON hit.number = event.number
LEFT JOIN (SELECT number, raw FROM message WHERE topic = 'browser_events') AS browser ON hit.number = browser.number
LEFT JOIN (SELECT number, raw FROM message WHERE topic = 'location_events') AS location ON hit.number = location.number;

INSERT INTO delivery
SELECT
    {epoch:UInt64},
    {first_hit:UInt64},
    (SELECT count() FROM hit),
    countIf(reason = ''),
    sumMapIf(map(extract(reason, '^[^:]*'), toUInt64(1)), is_bad),
    sumMapIf(map(toString(reason), toUInt64(1)), NOT is_bad AND reason != ''),
    (SELECT sumMap(map(replaceOne(topic, '_events', ''), toUInt64(1))) FROM message)
FROM outcome FINAL
WHERE number IN (SELECT number FROM hit);
