-- Keeps what later files need of a file, and what became of its hits. Repeating it replaces the rows.

INSERT INTO purchase
SELECT order_id, visitor_id, event_id, {epoch:UInt64}, {first_hit:UInt64}
FROM kept_event
WHERE event_type = 'purchase' AND order_id != '';

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
