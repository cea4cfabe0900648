-- source: Clickstream data for online shopping (e-shop clothing 2008), UCI
-- columns: [year, month, day, order, country, session ID, "page 1 (main category)", "page 2 (clothing model)"]
-- optional: [colour, location, model photography, price, page]

-- A click has a day and a position in its session, which is taken as the second of the day.
-- Lacks: times of a day, visitors (each session is one), addresses, referrers, devices, purchases.
WITH
    concat(year, '-', leftPad(month, 2, '0'), '-', leftPad(day, 2, '0')) AS date,
    -- Codes 12 and 43 to 47 name no country.
    ['AU', 'AT', 'BE', 'VG', 'KY', 'CX', 'HR', 'CY', 'CZ', 'DK', 'EE', '', 'FO', 'FI', 'FR', 'DE', 'GR', 'HU', 'IS', 'IN',
     'IE', 'IT', 'LV', 'LT', 'LU', 'MX', 'NL', 'NO', 'PL', 'PT', 'RO', 'RU', 'SM', 'SK', 'SI', 'ES', 'SE', 'CH', 'UA', 'AE',
     'GB', 'US'] AS countries,
    ['trousers', 'skirts', 'blouses', 'sale'] AS categories
SELECT
    row,
    addSeconds(time_in(date, 'UTC'), toUInt32OrZero(`order`)) AS time,
    `session ID` AS session_id,
    `session ID` AS visitor_id,
    concat('/', categories[toUInt8OrZero(`page 1 (main category)`)], '/', `page 2 (clothing model)`) AS page_url,
    countries[toUInt8OrZero(input.country)] AS country,
    map('colour', colour, 'location', location, 'photography', `model photography`, 'price', price, 'page', page) AS properties
FROM input
