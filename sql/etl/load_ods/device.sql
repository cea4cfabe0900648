-- Checks the messages of the device stream. Bit n of marks is marker n + 1 of the names.
WITH checked AS
(
    SELECT
        *,
        isNull(field.click_id) AS no_click_id,
        toUUIDOrNull(field.user_domain_id) AS user_domain_id,
        -- JSONExtract reads arrays by position, so only a text that begins with { is known to be an object.
        if(NOT startsWith(raw, '{') OR no_click_id, JSONType(raw) != 'Object', false) AS malformed
    FROM extracted
)
SELECT
    NOT (malformed OR no_click_id) AS is_typed,
    malformed
    + 2 * (NOT malformed AND no_click_id)
    + 4 * (NOT malformed AND isNull(field.device_is_mobile))
    + 8 * (NOT malformed AND isNotNull(field.user_domain_id) AND isNull(user_domain_id)) AS marks,
    ['malformed_json', 'bad_click_id', 'bad_device_is_mobile', 'bad_user_domain_id'] AS marker_names,
    field.* REPLACE (user_domain_id AS user_domain_id),
    raw, _key, epoch, _topic, _partition, _offset, _timestamp, emitted_at, ingested_at
FROM checked;
