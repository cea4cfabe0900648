-- Messages of a topic that came in the last 40 minutes: 30 that the live views show, and what belongs to these and came
-- before. A history that is written afterwards is not live: it lags more than the newest session, which is read from the
-- smallest topic.
WITH
    (
        SELECT argMax(dateDiff('second', emitted_at, _timestamp), ingested_at)
        FROM stg.raw
        WHERE _topic = 'device_events' AND ingested_at > now64(6, 'UTC') - INTERVAL 40 MINUTE AND isNotNull(emitted_at)
    ) AS lag
SELECT *
FROM stg.raw FINAL
PREWHERE _topic = {topic:String}
    AND ingested_at > now64(6, 'UTC') - INTERVAL 40 MINUTE
    AND ifNull(dateDiff('second', emitted_at, _timestamp) <= lag + 60, true);
