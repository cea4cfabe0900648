-- source: Retailrocket recommender system dataset, events.csv, Kaggle
-- columns: [timestamp, visitorid, event, itemid, transactionid]

-- A transaction has one row per item, of which the first is the purchase.
-- Lacks: sessions, which a pause of 30 minutes separates; pages, for which the page of the item stands; referrers,
-- devices, places, and values of purchases.
SELECT
    row,
    input.timestamp AS time,
    -- Visitors count from 0, which elsewhere is no id.
    if(visitorid = '0', 'visitor 0', visitorid) AS visitor_id,
    event_type_of(event) AS event_type,
    concat('/item/', itemid) AS page_url,
    map('item_id', itemid, 'transaction_id', transactionid) AS properties,
    if(event = 'transaction' AND row NOT IN (SELECT min(row) FROM input WHERE event = 'transaction' GROUP BY transactionid, visitorid),
        'further item of a transaction', '') AS skipped
FROM input
