-- source: Plausible, table events_v2
-- columns: [name, user_id, session_id, hostname, pathname, timestamp]
-- optional: [site_id, referrer, utm_source, utm_medium, utm_campaign, utm_content, country_code, subdivision1_code, screen_size, operating_system, browser, meta.key, meta.value, revenue_source_amount, revenue_source_currency]

-- Referrer and campaign are the session's. The event engagement, the reading time of the page before, is skipped.
-- Lacks: visitors across days, because their ids change each day; queries of addresses, languages.

-- Addresses and referrers have no scheme.
WITH
    event_type_of(name) AS kind,
    -- JSON, or in a table the form of the database: ['it\'s'].
    (list) -> if(isValidJSON(list), JSONExtract(list, 'Array(String)'), arrayMap(
        groups -> replaceRegexpAll(groups[1], '\\\\(.)', '\\1'), extractAllGroups(list, '\'((?:[^\'\\\\]|\\\\.)*)\''))) AS texts_of,
    texts_of(`meta.key`) AS names
SELECT
    row,
    input.timestamp AS time,
    site_id AS site,
    session_id,
    user_id AS visitor_id,
    kind AS event_type,
    concat(if(present(hostname) = '', '', concat('https://', hostname)), pathname) AS page_url,
    if(present(referrer) = '' OR position(referrer, '://') > 0, referrer, concat('https://', referrer)) AS referer_url,
    -- A click of an advertisement without a campaign has the medium (gclid) or (msclkid).
    if(present(utm_source) = '', transform(utm_medium, ['(gclid)', '(msclkid)'], ['google', 'bing'], ''), utm_source) AS utm_source,
    if(utm_medium IN ('(gclid)', '(msclkid)'), 'cpc', utm_medium) AS utm_medium,
    utm_campaign,
    utm_content,
    browser,
    operating_system AS system,
    screen_size AS device,
    -- A text of fixed length is filled with zero bytes; A1 is an anonymous proxy.
    if(country_code = 'A1', '', replaceAll(country_code, '\0', '')) AS country,
    replaceAll(subdivision1_code, '\0', '') AS region,
    if(kind IN ('purchase', 'refund'), revenue_source_amount, '') AS order_value,
    if(kind IN ('purchase', 'refund'), replaceAll(revenue_source_currency, '\0', ''), '') AS currency,
    mapFromArrays(names, arrayResize(texts_of(`meta.value`), length(names))) AS properties,
    if(name IN ('engagement', 'pageleave'), name, '') AS skipped
FROM input
