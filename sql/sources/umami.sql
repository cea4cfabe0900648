-- source: Umami, table website_event
-- columns: [website_id, session_id, visit_id, url_path, created_at]
-- optional: [event_id, hostname, browser, os, device, language, country, region, subdivision1, url_query, referrer_domain, referrer_path, referrer_query, utm_source, utm_medium, utm_campaign, utm_content, page_title, event_type, event_name, distinct_id]

-- Umami's session is a visitor for a month, its visit a session.
-- Lacks: values of purchases (table revenue); in PostgreSQL also browser, system, device and place (table session).

-- Events of type 1 are page views, of type 2 events of their name, of type 3 short links, of type 4 pixels; others are
-- measurements.
WITH multiIf(
    -- A name such as view shows no page.
    input.event_type = '2', if(event_type_of(event_name) IN ('purchase', 'refund'), event_type_of(event_name), event_name),
    transform(input.event_type, ['3', '4'], ['link', 'pixel'], 'pageview')) AS kind
SELECT
    row,
    created_at AS time,
    website_id AS site,
    event_id,
    visit_id AS session_id,
    input.session_id AS visitor_id,
    distinct_id AS account_id,
    kind AS event_type,
    concat(
        if(present(hostname) = '', '', concat('https://', hostname)),
        -- The path has the fragment, which comes after the query.
        cutFragment(url_path),
        if(present(url_query) = '', '', concat('?', url_query)),
        if(fragment(url_path) = '', '', concat('#', fragment(url_path)))) AS page_url,
    if(present(referrer_domain) = '', '', concat(
        'https://', referrer_domain, present(referrer_path),
        if(present(referrer_query) = '', '', concat('?', referrer_query)))) AS referer_url,
    utm_source,
    utm_medium,
    utm_campaign,
    utm_content,
    browser,
    os AS system,
    input.device AS device,
    language,
    country,
    first_of([input.region, subdivision1]) AS region,
    map('page_title', page_title) AS properties,
    if(toUInt8OrZero(input.event_type) > 4, 'measurement', '') AS skipped
FROM input
