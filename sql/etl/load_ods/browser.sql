-- Checks the messages of the browser stream. Bit n of marks is marker n + 1 of the names.
WITH checked AS
(
    SELECT
        *,
        field.event_timestamp AS text,
        toDateTime64OrNull(text, 6, 'UTC') AS plain_timestamp,
        toDecimal128OrZero(text, 6) AS number,
        multiIf(
            -- Most texts have the form of the database. A time that exists is written as it was read.
            toString(plain_timestamp) = text, plain_timestamp,
            -- ISO 8601 with a date that exists. The parser needs seconds and a dot, and no small letters.
            match(text, '^\\d{4}-\\d\\d-\\d\\d[ Tt]([01]\\d|2[0-3]):[0-5]\\d(:[0-5]\\d([.,]\\d+)?)?([Zz]|[+-](0\\d|1[0-3])(:?[0-5]\\d)?|[+-]14(:?00)?)?$')
                AND toString(toDate32OrNull(substring(text, 1, 10))) = substring(text, 1, 10),
            parseDateTime64BestEffortOrNull(replaceRegexpOne(upper(replaceOne(text, ',', '.')), '^(.{16})([^:]|$)', '\\1:00\\2'), 6, 'UTC'),
            -- Seconds, milliseconds or microseconds since 1970: before 2100, each has another range.
            match(text, '^\\d+([.]\\d+)?$'),
            fromUnixTimestamp64Micro(toInt64(number * multiIf(number < 4102444800, 1000000, number < 4102444800000, 1000, number < 4102444800000000, 1, 0)), 'UTC'),
            NULL) AS any_timestamp,
        if(any_timestamp >= toDateTime64('2000-01-01', 6, 'UTC') AND any_timestamp < toDateTime64('2100-01-01', 6, 'UTC'), any_timestamp, NULL) AS event_timestamp,
        toDecimal64OrNull(field.order_value, 4) AS amount,
        match(field.currency, '^[A-Z]{3}$') AS has_currency,
        isNull(field.event_id) AS no_event_id,
        isNull(field.click_id) AS no_click_id,
        isNull(event_timestamp) AS no_timestamp,
        -- JSONExtract reads arrays by position, so only a text that begins with { is known to be an object.
        if(NOT startsWith(raw, '{') OR (no_event_id AND no_click_id), JSONType(raw) != 'Object', false) AS malformed
    FROM extracted
)
SELECT
    NOT (malformed OR no_event_id OR no_click_id OR no_timestamp) AS is_typed,
    malformed
    + 2 * (NOT malformed AND no_event_id)
    + 4 * (NOT malformed AND no_click_id)
    + 8 * (NOT malformed AND no_timestamp)
    + 16 * (NOT malformed AND (field.event_type = '' OR lengthUTF8(field.event_type) > 100))
    + 32 * ifNull(NOT malformed AND emitted_at > event_timestamp + toIntervalSecond({late_after_seconds:UInt32}), false)
    + 64 * ifNull(NOT malformed AND event_timestamp > emitted_at + toIntervalSecond({skew_after_seconds:UInt32}), false)
    + 128 * (NOT malformed AND isNotNull(field.order_value) AND ifNull(amount < 0, true))
    + 256 * (NOT malformed AND field.currency != '' AND NOT has_currency) AS marks,
    ['malformed_json', 'bad_event_id', 'bad_click_id', 'bad_event_timestamp', 'bad_event_type', 'late_event', 'skewed_clock', 'bad_order_value', 'bad_currency'] AS marker_names,
    field.* REPLACE (
        if(amount >= 0, amount, NULL) AS order_value,
        if(has_currency, field.currency, '') AS currency,
        event_timestamp AS event_timestamp),
    raw, _key, epoch, _topic, _partition, _offset, _timestamp, emitted_at, ingested_at
FROM checked;
