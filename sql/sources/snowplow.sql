-- source: Snowplow, enriched events as TSV
-- format: lines
-- first_line: "^([^\\t]*\\t){130}[^\\t]*$"

-- A self-describing event has the name of its schema, an e-commerce event the name of its action.

-- The 131 fields have no header and no quotes; numbers here are positions of fields. Session numbers start from one
-- for each visitor.
WITH
    splitByChar('\t', line) AS fields,
    multiIf(
        fields[6] = 'struct', fields[55],
        fields[127] = 'snowplow_ecommerce_action', JSONExtractString(fields[59], 'data', 'data', 'type'),
        fields[6] = 'unstruct', fields[127],
        fields[6]) AS name,
    flat(JSONExtractRaw(arrayFirst(
        entity -> match(JSONExtractString(entity, 'schema'), 'ecommerce/(transaction|refund)/'),
        JSONExtractArrayRaw(fields[53], 'data')), 'data')) AS order
SELECT
    row,
    first_of([fields[125], fields[4]]) AS time,
    fields[1] AS site,
    fields[7] AS event_id,
    key_of([fields[16], fields[17]]) AS session_id,
    first_of([present_id(fields[16]), present_id(fields[18])]) AS visitor_id,
    fields[13] AS account_id,
    -- An action such as view shows no page.
    if(fields[6] IN ('struct', 'unstruct') AND event_type_of(name) NOT IN ('purchase', 'refund'), name, event_type_of(name)) AS event_type,
    fields[30] AS page_url,
    fields[32] AS referer_url,
    fields[49] AS utm_source,
    fields[48] AS utm_medium,
    fields[52] AS utm_campaign,
    fields[51] AS utm_content,
    fields[78] AS user_agent,
    fields[79] AS browser,
    fields[98] AS system,
    fields[102] AS device,
    fields[84] AS language,
    fields[19] AS country,
    fields[25] AS region,
    fields[23] AS latitude,
    fields[24] AS longitude,
    first_of([fields[101], fields[116]]) AS timezone,
    fields[14] AS ip_address,
    if(event_type IN ('purchase', 'refund'), first_of([fields[62], order['revenue'], order['refund_amount']]), '') AS order_value,
    if(event_type IN ('purchase', 'refund'), first_of([fields[109], order['currency']]), '') AS currency,
    first_of([fields[60], order['transaction_id']]) AS order_id,
    map(
        'page_title', fields[31],
        'category', fields[54],
        'label', fields[56],
        'value', fields[58]) AS properties
FROM input
