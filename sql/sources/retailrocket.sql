-- source: Retailrocket recommender system dataset, events.csv, Kaggle
-- columns: [timestamp, visitorid, event, itemid, transactionid]

-- A transaction has one row per item, of which the first is the purchase. Visitors count from 0.
-- Lacks: sessions, which a pause separates; pages, for which the page of the item stands; referrers,
-- devices, places, and values of purchases.
SELECT
    row,
    input.timestamp AS time,
    visitorid AS visitor_id,
    event_type_of(event) AS event_type,
    concat('/item/', itemid) AS page_url,
    transactionid AS order_id,
    map('item_id', itemid) AS properties
FROM input
