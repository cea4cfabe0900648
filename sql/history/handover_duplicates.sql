-- One row: page events that were emitted on both sides of t_end.
SELECT count() AS duplicates
FROM
(
    SELECT event_id
    FROM ods.browser_event
    WHERE epoch = {epoch:UInt64} AND load_id IN (SELECT load_id FROM ods.load_commit) AND emitted_at IS NOT NULL
    GROUP BY event_id
    HAVING min(emitted_at) < fromUnixTimestamp64Micro({t_end:Int64}, 'UTC')
        AND max(emitted_at) >= fromUnixTimestamp64Micro({t_end:Int64}, 'UTC')
);
