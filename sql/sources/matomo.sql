-- source: Matomo, Live.getLastVisitsDetails as JSON
-- columns: [idVisit, visitorId, actionDetails]
-- optional: [idSite, userId, visitIp, referrerType, referrerName, referrerUrl, referrerSearchEngineUrl, referrerSocialNetworkUrl, campaignSource, campaignMedium, campaignName, campaignContent, siteCurrency, languageCode, deviceType, operatingSystemName, browserName, countryCode, region, latitude, longitude]

-- Each action of a visit is an event. Orders and links to other sites take the address of the page before; the link's
-- own address is a property. The referrer is the visit's.
-- Lacks: source and medium of a campaign without the plugin for campaigns; visits without actions are left out.

-- Matomo cuts campaign parameters from addresses.
WITH
    flat(action) AS texts,
    texts['type'] AS type,
    referrerType = 'campaign' AS is_campaign
SELECT
    row,
    texts['timestamp'] AS time,
    idSite AS site,
    concat(idVisit, ' ', toString(number)) AS event_id,
    idVisit AS session_id,
    visitorId AS visitor_id,
    userId AS account_id,
    multiIf(
        type = 'action', 'pageview',
        type = 'ecommerceOrder', 'purchase',
        -- An action such as View shows no page.
        type = 'event', if(event_type_of(texts['eventAction']) IN ('purchase', 'refund'), event_type_of(texts['eventAction']), texts['eventAction']),
        type) AS event_type,
    first_of([if(type = 'outlink', '', texts['url']), page]) AS page_url,
    first_of([referrerUrl, referrerSearchEngineUrl, referrerSocialNetworkUrl]) AS referer_url,
    campaignSource AS utm_source,
    first_of([campaignMedium, if(is_campaign, 'campaign', '')]) AS utm_medium,
    first_of([campaignName, if(is_campaign, referrerName, '')]) AS utm_campaign,
    campaignContent AS utm_content,
    browserName AS browser,
    operatingSystemName AS system,
    deviceType AS device,
    languageCode AS language,
    if(countryCode = 'xx', '', upper(countryCode)) AS country,
    region,
    latitude,
    longitude,
    visitIp AS ip_address,
    if(type = 'ecommerceOrder', texts['revenue'], '') AS order_value,
    if(type = 'ecommerceOrder', siteCurrency, '') AS currency,
    if(type = 'ecommerceOrder', texts['orderId'], '') AS order_id,
    mapFilter(
        (key, text) -> key = 'url' AND type = 'outlink' OR key IN ('pageTitle', 'items', 'goalName', 'siteSearchKeyword', 'eventCategory', 'eventName', 'eventValue'),
        texts) AS properties,
    if(type = 'ecommerceAbandonedCart', type, '') AS skipped
FROM
(
    SELECT
        *,
        JSONExtractArrayRaw(actionDetails) AS actions,
        arrayMap(one -> if(JSONExtractString(one, 'type') = 'action', JSONExtractString(one, 'url'), ''), actions) AS urls
    FROM input
)
ARRAY JOIN actions AS action, arrayEnumerate(actions) AS number, arrayFill(url -> url != '', urls) AS page
