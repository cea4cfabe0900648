-- source: PostHog, export of events
-- columns: [uuid, event, distinct_id, properties, timestamp]

-- A visitor is a device, because the distinct id changes at a login. Events that only identify a person or read flags
-- are skipped.
-- Lacks: value and currency of a purchase, unless its properties have them.
WITH
    flat(input.properties) AS texts,
    if(event = '$screen', 'pageview', event_type_of(event)) AS kind
SELECT
    row,
    input.timestamp AS time,
    texts['token'] AS site,
    uuid AS event_id,
    texts['$session_id'] AS session_id,
    first_of([present_id(texts['$device_id']), distinct_id]) AS visitor_id,
    -- An app sends no user id.
    first_of([texts['$user_id'], if(texts['$is_identified'] = 'true', distinct_id, '')]) AS account_id,
    kind AS event_type,
    first_of([texts['$current_url'], if(event = '$screen', concat('/', texts['$screen_name']), '')]) AS page_url,
    texts['$referrer'] AS referer_url,
    texts['utm_source'] AS utm_source,
    texts['utm_medium'] AS utm_medium,
    texts['utm_campaign'] AS utm_campaign,
    texts['utm_content'] AS utm_content,
    texts['$raw_user_agent'] AS user_agent,
    texts['$browser'] AS browser,
    texts['$os'] AS system,
    texts['$device_type'] AS device,
    texts['$browser_language'] AS language,
    texts['$geoip_country_code'] AS country,
    texts['$geoip_subdivision_1_name'] AS region,
    texts['$geoip_latitude'] AS latitude,
    texts['$geoip_longitude'] AS longitude,
    first_of([texts['$timezone'], texts['$geoip_time_zone']]) AS timezone,
    texts['$ip'] AS ip_address,
    if(kind IN ('purchase', 'refund'), first_of([texts['revenue'], texts['$revenue'], texts['total'], texts['value']]), '') AS order_value,
    if(kind IN ('purchase', 'refund'), first_of([texts['currency'], texts['$currency']]), '') AS currency,
    first_of([texts['order_id'], texts['transaction_id']]) AS order_id,
    mapFilter((key, text) -> NOT match(key, '^([$]|utm_)') AND key != 'token', texts) AS properties,
    if(event IN ('$identify', '$set', '$groupidentify', '$create_alias', '$merge_dangerously', '$feature_flag_called'), event, '') AS skipped
FROM input
