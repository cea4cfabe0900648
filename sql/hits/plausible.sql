-- source: Plausible, events of its tracker
-- columns: [name, site, url, time]
-- optional: [referrer, props, revenue, visitor, address, agent, language]

-- A visitor is the same for a day; a pause separates sessions. An event named engagement says how long the page before
-- was read, so it is skipped.
WITH event_type_of(name) AS kind
SELECT
    row,
    time,
    site,
    visitor AS visitor_id,
    kind AS event_type,
    url AS page_url,
    referrer AS referer_url,
    agent AS user_agent,
    language,
    address AS ip_address,
    if(kind IN ('purchase', 'refund'), first_of([JSONExtractString(revenue, 'amount'), JSONExtractRaw(revenue, 'amount')]), '') AS order_value,
    if(kind IN ('purchase', 'refund'), JSONExtractString(revenue, 'currency'), '') AS currency,
    flat(props)['order_id'] AS order_id,
    flat(props) AS properties,
    if(name IN ('engagement', 'pageleave'), name, '') AS skipped
FROM input
