-- source: Google Analytics 4, export to BigQuery
-- columns: [event_timestamp, user_pseudo_id, event_params]
-- optional: [event_name, user_id, device, geo, ecommerce, items, collected_traffic_source]

-- traffic_source, which names the visitor's first visit, is not read, nor are the media organic and referral, which
-- Google derives from the referrer.
-- Lacks: ids of events, codes of countries. Screens of an app have a name instead of an address. Without consent
-- there is no visitor id, so each row is a session.

-- event_timestamp is microseconds since 1970. Session numbers are unique only per visitor. The tables
-- events_intraday_ and events_ differ in columns that are not read, so an event's id follows from visitor, time, name
-- and parameters; without a visitor, from its row.
WITH
    pairs_of(event_params) AS texts,
    texts['ga_session_id'] AS number,
    first_of([texts['medium'], JSONExtractString(collected_traffic_source, 'manual_medium')]) AS medium,
    JSONExtractString(collected_traffic_source, 'gclid') != '' AS is_advertisement,
    lower(medium) IN ('organic', 'referral') AS is_derived
SELECT
    row,
    event_timestamp AS time,
    if(present(user_pseudo_id) = '', '', hex(sipHash128(user_pseudo_id, event_timestamp, event_name, arraySort(JSONExtractArrayRaw(event_params)), items))) AS event_id,
    key_of([user_pseudo_id, number]) AS session_id,
    user_pseudo_id AS visitor_id,
    user_id AS account_id,
    if(event_name = 'screen_view', 'pageview', event_type_of(event_name)) AS event_type,
    first_of([texts['page_location'], if(texts['firebase_screen'] = '', '', concat('/', texts['firebase_screen']))]) AS page_url,
    texts['page_referrer'] AS referer_url,
    multiIf(
        is_advertisement, 'google',
        is_derived, '',
        first_of([texts['source'], JSONExtractString(collected_traffic_source, 'manual_source')])) AS utm_source,
    multiIf(is_advertisement, 'cpc', is_derived, '', medium) AS utm_medium,
    if(is_derived, '', first_of([
        texts['campaign'],
        JSONExtractString(collected_traffic_source, 'manual_campaign_name')])) AS utm_campaign,
    first_of([texts['content'], JSONExtractString(collected_traffic_source, 'manual_content')]) AS utm_content,
    first_of([JSONExtractString(input.device, 'web_info', 'browser'), JSONExtractString(device, 'browser')]) AS browser,
    JSONExtractString(input.device, 'operating_system') AS system,
    JSONExtractString(input.device, 'category') AS device,
    JSONExtractString(input.device, 'language') AS language,
    JSONExtractString(geo, 'country') AS country,
    JSONExtractString(geo, 'region') AS region,
    if(event_name IN ('purchase', 'refund'), first_of([
        trim(BOTH '"' FROM JSONExtractRaw(ecommerce, if(event_name = 'refund', 'refund_value', 'purchase_revenue'))),
        texts['value']]), '') AS order_value,
    if(event_name IN ('purchase', 'refund'), texts['currency'], '') AS currency,
    first_of([JSONExtractString(ecommerce, 'transaction_id'), texts['transaction_id']]) AS order_id,
    map(
        'items', if(items = '[]', '', items),
        'page_title', texts['page_title']) AS properties
FROM input
