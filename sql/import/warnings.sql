-- Likely mistakes of a SELECT or a file, each with an example.
SELECT warning
FROM
(
    SELECT 0 AS number, concat('files read before keep what another SELECT gave: ', toString(count()), ', such as ', any(path), '; to read all alike, import them again without --append') AS warning, count() AS found
    FROM file WHERE select != (SELECT argMax(select, number) FROM file)
    UNION ALL
    SELECT 1 AS number, concat('sessions with several visitors: ', toString(count()), ', such as ', any(visit), '; if session_id is unique only per visitor, give key_of([visitor, session])') AS warning, count() AS found
    FROM (SELECT visit FROM event WHERE rejected = '' AND skipped = '' AND has_session AND visitor_id != '' GROUP BY visit HAVING uniq(visitor_id) > 1)
    UNION ALL
    SELECT 2, 'no row has a visitor: give visitor_id, account_id, or ip_address and user_agent', count() > 0 AND countIf(visitor_id != '') = 0 FROM event WHERE rejected = '' AND skipped = ''
    UNION ALL
    SELECT 3, concat('all rows have the same ', arrayJoin(arrayFilter((name, isOne) -> isOne, ['time', 'session', 'visitor', 'page_url'],
        [min(at) = max(at), min(visit) = max(visit), min(visitor_id) = max(visitor_id) AND min(visitor_id) != '', min(page_url) = max(page_url) AND min(page_url) != '']))), count()
    FROM event WHERE rejected = '' AND skipped = '' HAVING count() > 9
    UNION ALL
    SELECT 4, concat(toString(countIf(event_type = 'purchase' AND isNull(order_value))), ' purchases have no order_value, so revenue lacks them'), countIf(isNotNull(order_value)) > 0 AND countIf(event_type = 'purchase' AND isNull(order_value)) > 0 FROM event WHERE rejected = '' AND skipped = ''
    UNION ALL
    SELECT 5, concat(toString(count()), ' rows have an order_value or a currency that is none, such as ', any(concat(properties['order_value'], ' ', properties['currency'])), ': they keep it as a property; amount_of(column) reads 1.249,90 and $1,249.90'), count()
    FROM event WHERE rejected = '' AND skipped = '' AND (properties['order_value'] != '' OR properties['currency'] != '')
    UNION ALL
    SELECT 6, concat('purchases in several currencies: ', arrayStringConcat(arraySort(groupUniqArray(currency)), ', '), '; revenue adds them as they are'), uniqExact(currency) > 1
    FROM event WHERE rejected = '' AND skipped = '' AND event_type = 'purchase' AND currency != ''
    UNION ALL
    SELECT 7, concat('no event is of a page of the funnel (', arrayStringConcat({pages:Array(String)}, ', '), '): name your pages in the header, "-- funnel:"'), count() = 0
    FROM
    (
        SELECT 1
        FROM (SELECT path_of(page_url) AS path FROM kept_event)
        WHERE arrayExists(page -> page = path OR endsWith(page, '*') AND startsWith(path, trimRight(page, '*')), {pages:Array(String)})
        LIMIT 1
    )
    UNION ALL
    SELECT 8, concat('user agents of bots: ', toString(countIf(device = 'Bot')), '; device_type is Bot in their sessions, --skip-bots leaves them out'), countIf(device = 'Bot') FROM agent WHERE user_agent IN (SELECT user_agent FROM event WHERE rejected = '' AND skipped = '')
)
WHERE found > 0
ORDER BY number;
