-- Messages that are only in a table of errors, and repeated messages.
SELECT 'browser' AS stream, error_reason AS reason, count() AS messages
FROM ods.browser_event_errors
WHERE NOT is_typed
GROUP BY reason
UNION ALL
SELECT 'location', error_reason, count() FROM ods.location_event_errors WHERE NOT is_typed GROUP BY error_reason
UNION ALL
SELECT 'device', error_reason, count() FROM ods.device_event_errors WHERE NOT is_typed GROUP BY error_reason
UNION ALL
SELECT 'geo', error_reason, count() FROM ods.geo_event_errors WHERE NOT is_typed GROUP BY error_reason
UNION ALL
SELECT 'browser', 'duplicate', sum(duplicates) FROM dds.event;
