-- Finds the messages of the ids in dm_internal.erased: first sessions, then their events, then every message of both.
-- An account has also the sessions without an account of its visitors; a visitor has all of its sessions.
INSERT INTO dm_internal.erased
WITH
    (SELECT (low, high) FROM stg.erasure_key) AS secret,
    own AS
    (
        SELECT click_id, user_custom_id, isNotNull(user_domain_id) AS has_account,
            sipHash128Keyed(secret, user_custom_id) IN dm_internal.erased AS is_visitor,
            has_account AND sipHash128Keyed(secret, ifNull(toString(user_domain_id), '')) IN dm_internal.erased AS is_account
        FROM
        (
            SELECT click_id, user_custom_id, user_domain_id FROM ods.device_event
            UNION ALL
            SELECT click_id, user_custom_id, user_domain_id FROM dds.click WHERE click_id IN (SELECT click_id FROM dds.expired_click)
        )
    )
SELECT DISTINCT sipHash128Keyed(secret, toString(click_id))
FROM own
WHERE is_visitor
    OR is_account
    OR (
        user_custom_id IN (SELECT user_custom_id FROM own WHERE is_account AND user_custom_id != '')
        AND click_id NOT IN (SELECT click_id FROM own WHERE has_account)
    );

INSERT INTO dm_internal.erased
WITH (SELECT (low, high) FROM stg.erasure_key) AS secret
SELECT DISTINCT sipHash128Keyed(secret, toString(event_id))
FROM
(
    SELECT event_id, click_id FROM ods.browser_event
    UNION ALL
    SELECT event_id, click_id FROM dds.event WHERE click_id IN (SELECT click_id FROM dds.expired_click)
)
WHERE sipHash128Keyed(secret, toString(click_id)) IN dm_internal.erased;

TRUNCATE TABLE dm_internal.swept_message;

INSERT INTO dm_internal.swept_message
WITH
    (SELECT (low, high) FROM stg.erasure_key) AS secret,
    rejected AS (SELECT * FROM merge('ods', '_event_errors$') WHERE NOT is_typed AND raw != 'erased')
SELECT DISTINCT _topic, epoch, _partition, _offset
FROM
(
    SELECT _topic, epoch, _partition, _offset FROM ods.browser_event
    WHERE sipHash128Keyed(secret, toString(click_id)) IN dm_internal.erased
        OR sipHash128Keyed(secret, toString(event_id)) IN dm_internal.erased
    UNION ALL
    SELECT _topic, epoch, _partition, _offset FROM ods.location_event
    WHERE sipHash128Keyed(secret, toString(event_id)) IN dm_internal.erased
    UNION ALL
    SELECT _topic, epoch, _partition, _offset FROM ods.device_event
    WHERE sipHash128Keyed(secret, toString(click_id)) IN dm_internal.erased
    UNION ALL
    SELECT _topic, epoch, _partition, _offset FROM ods.geo_event
    WHERE sipHash128Keyed(secret, toString(click_id)) IN dm_internal.erased
    UNION ALL
    -- A payload that is no object may still name the id.
    SELECT _topic, epoch, _partition, _offset
    FROM
    (
        SELECT *, arrayJoin(arrayConcat([_key, lower(_key)], extractAll(raw, '[^"\\s,:{}\\[\\]\\\\]+'), extractAll(raw, '[^"\\s,:;=&/|?{}\\[\\]\\\\]+'))) AS word
        FROM rejected
    )
    WHERE sipHash128Keyed(secret, word) IN dm_internal.erased
    UNION ALL
    SELECT _topic, epoch, _partition, _offset FROM stg.raw
    WHERE _key != '' AND (sipHash128Keyed(secret, _key) IN dm_internal.erased OR sipHash128Keyed(secret, lower(_key)) IN dm_internal.erased)
    UNION ALL
    -- Messages that were read again.
    SELECT _topic, epoch, _partition, _offset FROM stg.raw
    WHERE raw != 'erased' AND (_topic, epoch, _partition, _offset) IN
        (SELECT _topic, epoch, _partition, _offset FROM merge('ods', '_event_errors$') WHERE has(markers, 'erased'))
);

-- Messages that these repair, too.
INSERT INTO dm_internal.swept_message
SELECT DISTINCT _topic, epoch, _partition, _offset
FROM stg.repair
WHERE (_topic, by_epoch, by_partition, by_offset) IN (SELECT _topic, epoch, _partition, _offset FROM dm_internal.swept_message)
    AND (_topic, epoch, _partition, _offset) NOT IN (SELECT _topic, epoch, _partition, _offset FROM dm_internal.swept_message);
