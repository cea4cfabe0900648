-- One row: events of the epoch by their time relative to [t0, t_end). Only backfilled events of skewed
-- clocks may be outside. Live events follow t_end; a late event may have happened before t_end, but never
-- before t0.
WITH
    fromUnixTimestamp64Micro({t0:Int64}, 'UTC') AS first_moment,
    fromUnixTimestamp64Micro({t_end:Int64}, 'UTC') AS end_moment,
    (event_timestamp < first_moment OR event_timestamp >= end_moment) AND NOT has(markers, 'skewed_clock') AS is_outside
SELECT
    count() AS events,
    countIf(emitted_at >= end_moment) AS live,
    countIf(has(markers, 'skewed_clock')) AS skewed,
    countIf(is_outside AND emitted_at < end_moment) AS outside,
    countIf(is_outside AND emitted_at IS NULL) AS outside_without_time,
    countIf(emitted_at >= end_moment AND event_timestamp < first_moment) AS live_before,
    countIf(emitted_at < first_moment) AS emitted_before
FROM ods.browser_event
WHERE epoch = {epoch:UInt64} AND load_id IN (SELECT load_id FROM ods.load_commit);
