-- What a source gives, as rows of the table `event`. Texts are those of `present`, but ids and properties as they are given.
WITH
    (SELECT name FROM data_set) AS name,
    time_in(given.time, 'UTC') AS instant,
    present_id(given.session_id) AS session,
    present_id(given.event_id) AS id,
    present_id(given.account_id) AS account,
    present_id(given.order_id) AS order,
    of_site(given.site, multiIf(
        present_id(given.visitor_id) != '', present_id(given.visitor_id),
        account != '', account,
        given.ip_address != '' , concat('address ', hex(sipHash64(given.ip_address, given.user_agent))),
        '')) AS visitor,
    if(given.event_type = '', 'pageview', given.event_type) AS kind,
    -- ods keeps amounts of 14 digits with 4 decimals.
    round(toFloat64OrNull(given.order_value), 4) AS signed,
    kind = 'refund' OR kind = 'purchase' AND ifNull(signed < 0, false) AS is_refund,
    if(is_refund, abs(signed), signed) AS value,
    if(value >= 0 AND value < 1e14, value, NULL) AS amount,
    if(match(upper(given.currency), '^[A-Z]{3}$'), upper(given.currency), '') AS code
SELECT
    given.* EXCEPT (time, session_id) REPLACE (
        ifNull(toUUIDOrNull(id), reinterpretAsUUID(if(id != '', sipHash128(name, 'event', of_site(given.site, id)), sipHash128(name, row.content, given.time, given.event_type, given.page_url)))) AS event_id,
        visitor AS visitor_id,
        account AS account_id,
        if(is_refund, 'refund', kind) AS event_type,
        device_of(given.device) AS device,
        toFloat64OrNull(given.latitude) AS latitude,
        toFloat64OrNull(given.longitude) AS longitude,
        amount AS order_value,
        of_site(given.site, order) AS order_id,
        code AS currency,
        -- A value or a code that the pipeline would refuse stays visible.
        mapFilter(
            (name, text) -> present(text) != '',
            mapUpdate(given.properties, map(
                'order_id', if(order != '', order, given.properties['order_id']),
                'order_value', if(isNull(amount), given.order_value, ''),
                'currency', if(code = '', given.currency, '')))) AS properties),
    multiIf(
        given.skipped != '', '',
        isNull(instant), 'no readable time',
        instant < toDateTime64('2000-01-01', 6, 'UTC') OR instant >= toDateTime64('2100-01-01', 6, 'UTC'), 'time outside 2000 to 2099',
        given.page_url = '' AND given.event_type = '', 'neither page_url nor event_type',
        lengthUTF8(given.event_type) > 100, 'event_type of more than 100 characters',
        '') AS rejected,
    if(rejected LIKE '%time%', given.time, '') AS detail,
    ifNull(instant, toDateTime64(0, 6, 'UTC')) AS at,
    session != '' OR visitor = '' AS has_session,
    multiIf(session != '', of_site(given.site, session), visitor != '', visitor, hex(row.content)) AS visit,
    id != '' AS has_event_id,
    mapFilter((name, text) -> present_id(text) = '' AND text != '', map(
        'event_id', trimBoth(given.event_id),
        'session_id', trimBoth(given.session_id),
        'visitor_id', trimBoth(given.visitor_id),
        'account_id', trimBoth(given.account_id),
        'order_id', trimBoth(given.order_id))) AS no_ids,
    cityHash64(visit) % {slices:UInt8} AS slice
FROM given;
