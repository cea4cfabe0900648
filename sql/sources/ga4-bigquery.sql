-- source: Google Analytics 4, export to BigQuery
-- columns: [event_timestamp, user_pseudo_id, event_params]
-- optional: [event_name, event_date, user_id, device, geo, ecommerce]

-- The session number counts from one for each visitor. event_timestamp is microseconds since 1970.
WITH value_of(event_params, 'ga_session_id') AS number
SELECT
    row,
    event_timestamp AS time,
    if(number = '', '', concat(user_pseudo_id, ' ', number)) AS session_id,
    user_pseudo_id AS visitor_id,
    user_id AS account_id,
    event_type_of(event_name) AS event_type,
    value_of(event_params, 'page_location') AS page_url,
    value_of(event_params, 'page_referrer') AS referer_url,
    value_of(event_params, 'source') AS utm_source,
    value_of(event_params, 'medium') AS utm_medium,
    value_of(event_params, 'campaign') AS utm_campaign,
    JSONExtractString(device, 'web_info', 'browser') AS browser,
    JSONExtractString(device, 'operating_system') AS system,
    transform(JSONExtractString(device, 'category'), ['desktop', 'mobile', 'tablet'], ['Computer', 'Mobile', 'Tablet'], '') AS device,
    JSONExtractString(device, 'language') AS language,
    JSONExtractString(geo, 'country') AS country,
    JSONExtractString(geo, 'region') AS region,
    JSONExtractRaw(ecommerce, 'purchase_revenue') AS order_value,
    value_of(event_params, 'currency') AS currency
FROM input
