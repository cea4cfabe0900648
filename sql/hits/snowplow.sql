-- source: Snowplow, tracker protocol
-- columns: [e, eid, time]
-- optional: [aid, url, page, refr, lang, tz, duid, sid, vid, uid, nuid, co, ue_pr, se_ca, se_ac, se_la, se_va, tr_id, tr_tt, tr_cu, address, agent]

-- An event that describes itself has the name of its schema, one of the e-commerce plugin that of its action.
-- Event types and orders as in sql/sources/snowplow.sql.
WITH
    JSONExtractRaw(ue_pr, 'data') AS described,
    extract(JSONExtractString(described, 'schema'), '^iglu:[^/]+/([^/]+)/') AS schema,
    multiIf(
        e = 'se', se_ac,
        schema = 'snowplow_ecommerce_action', JSONExtractString(described, 'data', 'type'),
        e = 'ue', schema,
        transform(e, ['pv', 'pp', 'tr', 'ti'], ['page_view', 'page_ping', 'transaction', 'transaction_item'], e)) AS name,
    if(e IN ('se', 'ue') AND event_type_of(name) NOT IN ('purchase', 'refund'), name, event_type_of(name)) AS kind,
    flat(JSONExtractRaw(arrayFirst(
        entity -> match(JSONExtractString(entity, 'schema'), 'ecommerce/(transaction|refund)/'),
        JSONExtractArrayRaw(co, 'data')), 'data')) AS order
SELECT
    row,
    time,
    aid AS site,
    eid AS event_id,
    first_of([present_id(sid), key_of([duid, vid])]) AS session_id,
    first_of([present_id(duid), nuid]) AS visitor_id,
    uid AS account_id,
    kind AS event_type,
    url AS page_url,
    refr AS referer_url,
    agent AS user_agent,
    lang AS language,
    tz AS timezone,
    address AS ip_address,
    if(kind IN ('purchase', 'refund'), first_of([tr_tt, order['revenue'], order['refund_amount'], se_va]), '') AS order_value,
    if(kind IN ('purchase', 'refund'), first_of([tr_cu, order['currency']]), '') AS currency,
    first_of([tr_id, order['transaction_id']]) AS order_id,
    map(
        'page_title', page,
        'category', se_ca,
        'label', se_la,
        'value', se_va) AS properties
FROM input
