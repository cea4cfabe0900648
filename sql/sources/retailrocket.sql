-- source: Retailrocket recommender system dataset, events.csv, Kaggle
-- columns: [timestamp, visitorid, event, itemid, transactionid]

-- A transaction has one row per item; the first is the purchase. The address is the page of the item.
-- Lacks: sessions, pages, referrers, devices, places, values of purchases.

-- Visitor numbers start from 0.
SELECT
    row,
    input.timestamp AS time,
    visitorid AS visitor_id,
    event_type_of(event) AS event_type,
    concat('/item/', itemid) AS page_url,
    transactionid AS order_id,
    map('item_id', itemid) AS properties
FROM input
