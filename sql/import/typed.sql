-- What a source gives, as rows of the table `event`, in the order of its columns.
WITH
    (SELECT name FROM data_set) AS name,
    present(given.time) AS time_text,
    time_in(time_text, 'UTC') AS instant,
    present_id(given.session_id) AS session,
    present_id(given.event_id) AS id,
    -- ods keeps amounts of 14 digits with 4 decimals.
    round(toFloat64OrNull(trimBoth(given.order_value)), 4) AS amount,
    upper(present(given.currency)) AS code
SELECT
    row,
    multiIf(
        present(given.skipped) != '', '',
        isNull(instant), 'no readable time',
        instant < toDateTime64('2000-01-01', 6, 'UTC') OR instant >= toDateTime64('2100-01-01', 6, 'UTC'), 'time outside 2000 to 2099',
        present(given.page_url) = '' AND present(given.event_type) = '', 'neither page_url nor event_type',
        lengthUTF8(given.event_type) > 100, 'event_type of more than 100 characters',
        '') AS rejected,
    if(rejected LIKE '%time%', time_text, '') AS detail,
    present(given.skipped) AS skipped,
    ifNull(instant, toDateTime64(0, 6, 'UTC')) AS at,
    session != '' OR visitor_id = '' AS has_session,
    multiIf(session != '', session, visitor_id != '', visitor_id, hex(row.content)) AS visit,
    ifNull(toUUIDOrNull(id), reinterpretAsUUID(if(id != '', sipHash128(name, 'event', id), sipHash128(name, row.content, time_text, given.event_type, given.page_url)))) AS event_id,
    multiIf(
        present_id(given.visitor_id) != '', present_id(given.visitor_id),
        account_id != '', account_id,
        ip_address != '' , concat('address ', hex(sipHash64(ip_address, given.user_agent))),
        '') AS visitor_id,
    present_id(given.account_id) AS account_id,
    if(present(given.event_type) = '', 'pageview', present(given.event_type)) AS event_type,
    present(given.page_url) AS page_url,
    present(given.referer_url) AS referer_url,
    present(given.utm_source) AS utm_source,
    present(given.utm_medium) AS utm_medium,
    present(given.utm_campaign) AS utm_campaign,
    present(given.utm_content) AS utm_content,
    present(given.user_agent) AS user_agent,
    present(given.browser) AS browser,
    present(given.system) AS system,
    device_of(present(given.device)) AS device,
    present(given.language) AS language,
    present(given.country) AS country,
    present(given.region) AS region,
    toFloat64OrNull(given.latitude) AS latitude,
    toFloat64OrNull(given.longitude) AS longitude,
    present(given.timezone) AS timezone,
    present(given.ip_address) AS ip_address,
    if(amount >= 0 AND amount < 1e14, amount, NULL) AS order_value,
    if(match(code, '^[A-Z]{3}$'), code, '') AS currency,
    -- A value or a code that the pipeline would refuse stays visible.
    mapFilter(
        (name, text) -> present(text) != '',
        mapUpdate(given.properties, map(
            'order_value', if(isNull(order_value), given.order_value, ''),
            'currency', if(currency = '', given.currency, '')))) AS properties,
    cityHash64(visit) % {slices:UInt8} AS slice
FROM given;
