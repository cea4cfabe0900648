-- source: Segment, RudderStack or Jitsu, calls as JSON lines
-- columns: [messageId, anonymousId, type, context]
-- optional: [event, name, userId, timestamp, originalTimestamp, receivedAt, properties, request_ip, requestIp, writeKey]

-- A page or screen call is a page view, a track call an event of its name; other calls identify visitors. Segment and
-- Jitsu have no sessions.
-- Lacks: places (Jitsu has them). Screens of an app have a name instead of an address.

-- RudderStack numbers sessions by their start, which several visitors can share.
WITH
    flat(input.properties) AS texts,
    trim(BOTH '"' FROM JSONExtractRaw(context, 'sessionId')) AS number,
    multiIf(type IN ('page', 'screen'), 'pageview', type = 'track', event_type_of(event), type) AS kind
SELECT
    row,
    first_of([timestamp, originalTimestamp, receivedAt]) AS time,
    writeKey AS site,
    messageId AS event_id,
    key_of([anonymousId, number]) AS session_id,
    anonymousId AS visitor_id,
    userId AS account_id,
    kind AS event_type,
    first_of([JSONExtractString(context, 'page', 'url'), texts['url'], if(type = 'screen', concat('/', name), '')]) AS page_url,
    first_of([JSONExtractString(context, 'page', 'referrer'), texts['referrer']]) AS referer_url,
    JSONExtractString(context, 'campaign', 'source') AS utm_source,
    JSONExtractString(context, 'campaign', 'medium') AS utm_medium,
    JSONExtractString(context, 'campaign', 'name') AS utm_campaign,
    JSONExtractString(context, 'campaign', 'content') AS utm_content,
    JSONExtractString(context, 'userAgent') AS user_agent,
    JSONExtractString(context, 'os', 'name') AS system,
    JSONExtractString(context, 'locale') AS language,
    JSONExtractString(context, 'timezone') AS timezone,
    first_of([JSONExtractString(context, 'geo', 'country', 'code'), JSONExtractString(context, 'location', 'country')]) AS country,
    first_of([JSONExtractString(context, 'geo', 'region', 'name'), JSONExtractString(context, 'location', 'region')]) AS region,
    first_of([JSONExtractString(context, 'ip'), request_ip, requestIp]) AS ip_address,
    if(kind IN ('purchase', 'refund'), first_of([texts['revenue'], texts['total'], texts['value']]), '') AS order_value,
    if(kind IN ('purchase', 'refund'), texts['currency'], '') AS currency,
    texts['order_id'] AS order_id,
    mapFilter((key, text) -> key NOT IN ('url', 'path', 'search', 'referrer', 'title'), texts) AS properties,
    if(type IN ('page', 'screen', 'track'), '', type) AS skipped
FROM input
