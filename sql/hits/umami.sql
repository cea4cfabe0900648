-- source: Umami, events of its tracker
-- columns: [website, type, time]
-- optional: [url, hostname, referrer, language, title, name, id, data, visitor, address, agent]

-- A visitor is the same for a day; a pause separates sessions. An event with a name is one of its name.
WITH
    flat(data) AS texts,
    -- A name such as view shows no page.
    multiIf(
        present(input.name) = '', 'pageview',
        event_type_of(input.name) IN ('purchase', 'refund'), event_type_of(input.name),
        input.name) AS kind
SELECT
    row,
    time,
    website AS site,
    visitor AS visitor_id,
    id AS account_id,
    kind AS event_type,
    concat(if(startsWith(url, '/') AND present(hostname) != '', concat('https://', hostname), ''), url) AS page_url,
    referrer AS referer_url,
    agent AS user_agent,
    language,
    address AS ip_address,
    if(kind IN ('purchase', 'refund'), first_of([texts['revenue'], texts['value']]), '') AS order_value,
    if(kind IN ('purchase', 'refund'), texts['currency'], '') AS currency,
    texts['order_id'] AS order_id,
    mapUpdate(texts, map('page_title', title)) AS properties,
    if(type = 'event', '', type) AS skipped
FROM input
