-- source: snippet of this project
-- columns: [site, type, url, time]
-- optional: [id, referrer, visitor, account, language, timezone, properties, address, agent]

-- A pause of the visitor separates sessions.
WITH
    flat(input.properties) AS texts,
    type IN ('purchase', 'refund') AS is_order
SELECT
    row,
    time,
    site,
    id AS event_id,
    visitor AS visitor_id,
    account AS account_id,
    type AS event_type,
    url AS page_url,
    referrer AS referer_url,
    agent AS user_agent,
    language,
    timezone,
    address AS ip_address,
    if(is_order, texts['value'], '') AS order_value,
    if(is_order, texts['currency'], '') AS currency,
    if(is_order, texts['order_id'], '') AS order_id,
    texts AS properties
FROM input
