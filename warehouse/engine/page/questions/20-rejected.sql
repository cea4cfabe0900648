-- What did the pipeline reject?
-- Messages that are in no typed table, by stream and the defects in them.
-- Chart: messages by reason
SELECT concat(stream, ': ', error_reason) AS reason, count() AS messages
FROM
(
  SELECT 'browser' AS stream, error_reason, is_typed FROM ods.browser_event_errors
  UNION ALL SELECT 'location', error_reason, is_typed FROM ods.location_event_errors
  UNION ALL SELECT 'device', error_reason, is_typed FROM ods.device_event_errors
  UNION ALL SELECT 'geo', error_reason, is_typed FROM ods.geo_event_errors
)
WHERE NOT is_typed
GROUP BY reason
ORDER BY messages DESC
