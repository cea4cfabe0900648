-- source: Sparkify, events of the generator eventsim
-- columns: [ts, sessionId, userId, page]
-- optional: [userAgent, location, level, artist, song, length]

-- Every page is a page view, also NextSong; the page Submit Upgrade is a purchase.
-- Lacks: visitors before they log in, whose rows are a session of their own; referrers, countries, values.

-- Session numbers are unique only per user. User agents can have quotes around them.
SELECT
    row,
    ts AS time,
    concat(present_id(userId), ' ', sessionId) AS session_id,
    userId AS visitor_id,
    userId AS account_id,
    if(page = 'Submit Upgrade', 'purchase', 'pageview') AS event_type,
    concat('/', page) AS page_url,
    trim(BOTH '"' FROM userAgent) AS user_agent,
    location AS region,
    map('level', level, 'artist', artist, 'song', song, 'length', length) AS properties
FROM input
