-- Browser messages of committed loads that are still in stg, typed by the rules of ods. is_typed: belongs in
-- ods.browser_event; with markers, in ods.browser_event_errors. is_redelivered: stored again after its load
-- was planned; ods keeps the first version.
WITH
    taken AS
    (
        SELECT epoch, _partition, offset_from, offset_to, load_id, planned_at
        FROM ods.load_range
        WHERE stream = 'browser' AND load_id IN (SELECT load_id FROM ods.load_commit)
    ),
    message AS
    (
        SELECT
            stored.*,
            taken.load_id AS load_id,
            stored.ingested_at > taken.planned_at AS is_redelivered,
            JSONType(stored.raw) = 'Object' AS is_object,
            JSONExtract(stored.raw, 'Tuple(event_id Nullable(UUID), click_id Nullable(UUID), event_timestamp Nullable(String), event_type String, browser_name String, browser_user_agent String, browser_language String, order_value Nullable(String), currency String, properties Map(String, String))') AS field,
            -- Parts of ISO 8601: date, time, second, fraction, offset.
            extractGroups(
                assumeNotNull(field.event_timestamp),
                '^(\\d{4}-\\d\\d-\\d\\d)[ Tt](\\d\\d:\\d\\d)(?::(\\d\\d)(?:[.,](\\d+))?)?(?:[Zz]|([+-]\\d\\d)(?::?(\\d\\d))?)?$') AS iso,
            parseDateTimeOrNull(concat(iso[1], ' ', iso[2], ':', if(iso[3] = '', '00', iso[3])), '%Y-%m-%d %H:%i:%s', 'UTC') AS local_second,
            toInt32OrZero(iso[5]) * 60 + if(startsWith(iso[5], '-'), -1, 1) * toInt32OrZero(iso[6]) AS offset_minutes,
            if(empty(iso), toDecimal128OrNull(if(match(field.event_timestamp, '^\\d+([.]\\d+)?$'), field.event_timestamp, ''), 6), NULL) AS number,
            multiIf(
                isNotNull(number), number * multiIf(number < 4102444800, 1000000, number < 4102444800000, 1000, 1),
                isNotNull(local_second) AND abs(offset_minutes) <= 840 AND toUInt8OrZero(iso[6]) <= 59,
                (toInt64(local_second) - 60 * offset_minutes) * 1000000 + toInt64OrZero(rightPad(substring(iso[4], 1, 6), 6, '0')),
                NULL) AS micros,
            toDecimal64OrNull(field.order_value, 4) AS amount,
            if(micros >= 946684800000000 AND micros < 4102444800000000, fromUnixTimestamp64Micro(toInt64(micros), 'UTC'), NULL) AS event_time
        FROM (SELECT * FROM stg.raw FINAL WHERE _topic = 'browser_events') AS stored
        ASOF INNER JOIN taken
            ON stored.epoch = taken.epoch
            AND stored._partition = taken._partition
            AND stored._offset <= taken.offset_to
        WHERE stored._offset > taken.offset_from
    )
SELECT
    is_object AND field.event_id IS NOT NULL AND field.click_id IS NOT NULL AND event_time IS NOT NULL AS is_typed,
    is_redelivered,
    ifNull(field.event_id, toUUIDOrZero('')) AS event_id,
    ifNull(field.click_id, toUUIDOrZero('')) AS click_id,
    field.event_type AS event_type,
    field.browser_name AS browser_name,
    field.browser_user_agent AS browser_user_agent,
    field.browser_language AS browser_language,
    if(amount < 0, NULL, amount) AS order_value,
    if(match(field.currency, '^[A-Z]{3}$'), field.currency, '') AS currency,
    field.properties AS properties,
    ifNull(event_time, toDateTime64(0, 6, 'UTC')) AS event_timestamp,
    arrayFilter(marker -> marker != '', [
        if(is_object, '', 'malformed_json'),
        if(is_object AND field.event_id IS NULL, 'bad_event_id', ''),
        if(is_object AND field.click_id IS NULL, 'bad_click_id', ''),
        if(is_object AND event_time IS NULL, 'bad_event_timestamp', ''),
        if(is_object AND length(field.event_type) NOT BETWEEN 1 AND 100, 'bad_event_type', ''),
        if(is_object AND dateDiff('microsecond', event_time, emitted_at) > {late_after_seconds:UInt32} * 1000000, 'late_event', ''),
        if(is_object AND dateDiff('microsecond', emitted_at, event_time) > {skew_after_seconds:UInt32} * 1000000, 'skewed_clock', ''),
        if(is_object AND field.order_value IS NOT NULL AND (amount IS NULL OR amount < 0), 'bad_order_value', ''),
        if(is_object AND field.currency != '' AND currency = '', 'bad_currency', '')
    ]) AS markers,
    arrayStringConcat(markers, ',') AS error_reason,
    raw,
    epoch,
    _topic,
    _partition,
    _offset,
    _key,
    _timestamp,
    emitted_at,
    ingested_at,
    load_id
FROM message;
