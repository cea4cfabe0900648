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
    SELECT 4, concat(toString(countIf(event_type IN ('purchase', 'refund') AND isNull(order_value))), ' purchases or refunds have no order_value, so revenue and refunds lack them'), countIf(isNotNull(order_value)) > 0 AND countIf(event_type IN ('purchase', 'refund') AND isNull(order_value)) > 0 FROM event WHERE rejected = '' AND skipped = ''
    UNION ALL
    SELECT 5, concat(toString(count()), if(count() = 1, ' row has', ' rows have'), ' an order_value or a currency that is none, such as ', any(trimBoth(concat(properties['order_value'], ' ', properties['currency']))), ': they keep it as a property; amount_of(column) reads 1.249,90 and $1,249.90'), count()
    FROM event WHERE rejected = '' AND skipped = '' AND (properties['order_value'] != '' OR properties['currency'] != '')
    UNION ALL
    SELECT 6, concat('purchases and refunds in several currencies: ', arrayStringConcat(arraySort(groupUniqArray(currency)), ', '), '; revenue and refunds add them as they are'), uniqExact(currency) > 1
    FROM event WHERE rejected = '' AND skipped = '' AND event_type IN ('purchase', 'refund') AND currency != ''
    UNION ALL
    SELECT 7, concat('no event is of a page of the funnel (', arrayStringConcat({pages:Array(String)}, ', '), '): name your pages in the header, "-- funnel:"'), count() = 0
    FROM
    (
        SELECT 1
        FROM (SELECT path_of(page_url) AS path FROM kept_event)
        WHERE arrayExists(page -> dm_is_page(path, page), {pages:Array(String)})
        LIMIT 1
    )
    UNION ALL
    SELECT 8, concat('user agents of bots: ', toString(countIf(device = 'Bot')), '; device_type is Bot in their sessions, --skip-bots leaves them out'), countIf(device = 'Bot') FROM agent WHERE user_agent IN (SELECT user_agent FROM event WHERE rejected = '' AND skipped = '')
    UNION ALL
    SELECT 9, concat('no event is a page view; event types: ', arrayStringConcat(arraySort(topK(5)(event_type)), ', '), '; give ''pageview'' AS event_type for those that show a page'), count() > 0 AND countIf(event_type = 'pageview') = 0
    FROM event WHERE rejected = '' AND skipped = ''
    UNION ALL
    SELECT 10, concat('equal rows with money: ', toString(sum(rows) - count()), ', such as an order_value of ', toString(any(value)), '; equal rows are one event, so if they are several orders, give event_id or order_id'), count()
    FROM
    (
        SELECT any(order_value) AS value, uniqExact(row.number) AS rows
        FROM event
        WHERE rejected = '' AND skipped = '' AND NOT has_event_id AND order_id = '' AND event_type IN ('purchase', 'refund') AND order_value != 0
        GROUP BY event_id, row.file
        HAVING rows > 1
    )
    UNION ALL
    SELECT 11, concat('orders with several ', if(several_values, 'values', 'visitors'), ': ', toString(count()), ', such as ', any(order_id), if(several_values, '; the first counts, so if a row is an item of an order, leave order_id out', '; each visitor''s first purchase counts')), count()
    FROM
    (
        SELECT order_id, arrayJoin(arrayFilter((value, is_several) -> is_several, [true, false], [max(values) > 1, count() > 1])) AS several_values
        FROM
        (
            SELECT order_id, visitor_id, uniqExact(order_value) AS values
            FROM event
            WHERE rejected = '' AND skipped IN ('', 'an order again') AND event_type = 'purchase' AND order_id != ''
            GROUP BY order_id, visitor_id
        )
        GROUP BY order_id
    )
    GROUP BY several_values
    UNION ALL
    SELECT 12, concat('purchases repeat their property ', name, ': ', toString(sum(purchases) - count()), ', such as ', any(text), '; as order_id, an order counts once'), count()
    FROM
    (
        SELECT arrayJoin(mapFilter((key, value) -> match(key, '(?i)^(order|transaction)[ _]?(id|number)$'), properties)) AS property, property.1 AS name, property.2 AS text, uniqExact(event_id) AS purchases
        FROM event
        WHERE rejected = '' AND skipped = '' AND event_type = 'purchase' AND order_id = ''
        GROUP BY property
        HAVING purchases > 1
    )
    GROUP BY name
    UNION ALL
    SELECT 13, concat('taken as no id: ', arrayStringConcat(groupArray(concat(name, ' ', text, ' (', toString(rows), if(rows = 1, ' row)', ' rows)'))), ', ')), count()
    FROM
    (
        SELECT name, text, count() AS rows
        FROM event
        ARRAY JOIN mapKeys(no_ids) AS name, mapValues(no_ids) AS text
        WHERE rejected = '' AND skipped = ''
        GROUP BY name, text
        ORDER BY rows DESC, name, text
        LIMIT 20
    )
)
WHERE found > 0
ORDER BY number;
