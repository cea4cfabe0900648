-- Checks the messages of the location stream. Bit n of marks is marker n + 1 of the names.
WITH checked AS
(
    SELECT
        *,
        isNull(field.event_id) AS no_event_id,
        -- JSONExtract reads arrays by position, so only a text that begins with { is known to be an object.
        if(NOT startsWith(raw, '{') OR no_event_id, JSONType(raw) != 'Object', false) AS malformed
    FROM extracted
)
SELECT
    NOT (malformed OR no_event_id) AS is_typed,
    malformed
    + 2 * (NOT malformed AND no_event_id)
    + 4 * (NOT malformed AND empty(field.page_url_path)) AS marks,
    ['malformed_json', 'bad_event_id', 'page_missing'] AS marker_names,
    field.*,
    raw, _key, epoch, _topic, _partition, _offset, _timestamp, emitted_at, ingested_at
FROM checked;
