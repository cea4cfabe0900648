-- One row per message of a session in one stream, with position, fate and times. The session's id identifies a message, or that
-- of one of its events, by the column {id} of the stream. A rejected message has no typed columns, so its broker key or its
-- text identifies the session. A message with the key may be typed as that of another session. {typed} and {errors}: tables
-- of ods of the {stream}. The times of dds and dm are those of the first loads that have the message; after a full refresh,
-- that of dm is of a later load. A message without a fate in ods is lost if a finished load has read beyond it.
WITH
    committed AS (SELECT load_id FROM ods.load_commit),
    own AS
    (
        SELECT event_id AS id FROM ods.browser_event WHERE click_id = {click_id:UUID} AND {id:String} = 'event_id'
        UNION ALL
        SELECT {click_id:UUID} WHERE {id:String} = 'click_id'
    ),
    stored_by_key AS
    (
        SELECT epoch, _partition, _offset FROM stg.raw WHERE _topic = {topic:String} AND _key = {click:String}
    ),
    marked AS
    (
        SELECT * FROM ods.{errors:Identifier}
        WHERE load_id IN committed
            AND (_key = {click:String}
                OR position(raw, {click:String}) > 0
                OR JSONExtract(raw, {id:String}, 'Nullable(UUID)') IN (SELECT id FROM own)
                -- It came after its session had left ods.
                OR (has(markers, 'expired') AND (epoch, _partition, _offset) IN (SELECT * FROM stored_by_key)))
    ),
    named AS
    (
        SELECT * FROM stored_by_key
        UNION ALL
        SELECT epoch, _partition, _offset FROM marked
    ),
    typed AS
    (
        SELECT * FROM ods.{typed:Identifier}
        WHERE load_id IN committed
            AND ({id:Identifier} IN (SELECT id FROM own) OR (epoch, _partition, _offset) IN (SELECT * FROM named))
    ),
    identity AS
    (
        SELECT * FROM named
        UNION ALL
        SELECT epoch, _partition, _offset FROM typed
    ),
    stored AS
    (
        SELECT * FROM stg.raw FINAL WHERE _topic = {topic:String} AND (epoch, _partition, _offset) IN (SELECT * FROM identity)
    ),
    read AS
    (
        SELECT epoch, _partition, max(offset_to) AS offset_to FROM ods.load_range
        WHERE stream = {stream:String} AND load_id IN committed
        GROUP BY epoch, _partition
    ),
    (SELECT groupArray((epoch, _partition, offset_to)) FROM read) AS ends,
    own_loads AS
    (
        SELECT load_id FROM typed
        UNION ALL
        SELECT load_id FROM marked
    ),
    -- Earlier loads say nothing about these messages, and may be many.
    (SELECT minOrNull(load_id) FROM own_loads) AS first_load,
    (SELECT groupArray((load_id, committed_at)) FROM ods.load_commit WHERE load_id >= first_load) AS ods_loads,
    (SELECT groupArray((load_id, committed_at)) FROM dds.load_commit WHERE load_id >= first_load) AS dds_loads,
    (SELECT groupArray((load_id, committed_at)) FROM dm_internal.load_commit WHERE target = 'session' AND load_id >= first_load) AS dm_loads,
    loads -> arrayReduce('minOrNull', arrayMap(one -> one.2, loads)) AS first_time,
    max(found.load_id) AS load_id
SELECT
    _topic AS topic,
    _partition AS partition,
    _offset AS offset,
    epoch,
    max(found.key) AS key,
    if(max(found.is_stored) OR max(found.raw) != '', max(found.raw), NULL) AS raw,
    multiIf(
        max(found.is_rejected), 'rejected',
        max(found.is_typed), 'typed',
        arrayExists(one -> one.1 = epoch AND one.2 = _partition AND one.3 >= _offset, ends), 'lost',
        'pending') AS fate,
    arraySort(groupUniqArrayArray(found.markers)) AS markers,
    any(found.emitted_at) AS emitted,
    min(found.broker_at) AS broker,
    min(found.ingested_at) AS ingested,
    first_time(arrayFilter(one -> one.1 = load_id, ods_loads)) AS loaded,
    first_time(arrayFilter(one -> load_id > 0 AND one.1 >= load_id, dds_loads)) AS integrated,
    first_time(arrayFilter(one -> load_id > 0 AND one.1 >= load_id AND one.2 >= integrated, dm_loads)) AS presented
FROM
(
    SELECT epoch, _topic, _partition, _offset, _key AS key, raw, true AS is_stored, false AS is_typed, false AS is_rejected, toUInt64(0) AS load_id, CAST([], 'Array(String)') AS markers, emitted_at, _timestamp AS broker_at, ingested_at
    FROM stored
    UNION ALL
    SELECT epoch, _topic, _partition, _offset, '', '', false, true, false, load_id, CAST(markers, 'Array(String)'), emitted_at, _timestamp, ingested_at
    FROM typed
    UNION ALL
    SELECT epoch, _topic, _partition, _offset, _key, raw, false, is_typed AND has(markers, 'expired'), NOT is_typed, load_id, CAST(markers, 'Array(String)'), emitted_at, _timestamp, ingested_at
    FROM marked
) AS found
GROUP BY epoch, _topic, _partition, _offset
ORDER BY epoch, emitted, _partition, _offset;
