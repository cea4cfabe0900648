-- source: eCommerce behavior data from multi category store, Kaggle
-- columns: [event_time, event_type, product_id, user_id, user_session]
-- optional: [category_code, brand, price]

-- The address of an event is the page of its product.
-- Lacks: pages, referrers, devices, places.
SELECT
    row,
    event_time AS time,
    user_session AS session_id,
    user_id AS visitor_id,
    if(event_type = 'view', 'pageview', event_type) AS event_type,
    concat('/product/', product_id) AS page_url,
    if(event_type = 'purchase', price, '') AS order_value,
    if(event_type = 'purchase', 'USD', '') AS currency,
    map('product_id', product_id, 'category', category_code, 'brand', brand, 'price', price) AS properties
FROM input
