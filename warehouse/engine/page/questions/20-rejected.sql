-- What did the pipeline reject?
-- Messages that are in no typed table, by stream and the defects in them, and how many of them a replay has repaired since.
-- Chart: messages by reason
SELECT concat(stream, ': ', error_reason) AS reason, count() AS messages, countIf(is_repaired) AS repaired
FROM ods.v_rejected
GROUP BY reason
ORDER BY messages DESC
