-- source: GoatCounter, export as CSV
-- columns: [2Path, Title, Event, Session, Bot, Referrer, Referrer scheme, Location, FirstVisit, Date]
-- optional: [UserAgent, Browser, System, Screen size]

-- GoatCounter's session is a visitor for some hours, so it is not used as a session.
-- Lacks: sessions, hosts, visitors across days, kinds of devices, values of purchases.

-- The path of an event is its name. The column Bot has the number of the kind of bot.
SELECT
    row,
    Date AS time,
    Session AS visitor_id,
    if(Event = 'true', if(event_type_of(`2Path`) IN ('purchase', 'refund'), event_type_of(`2Path`), `2Path`), 'pageview') AS event_type,
    if(Event = 'true', '', `2Path`) AS page_url,
    multiIf(
        present(Referrer) = '' OR `Referrer scheme` IN ('c', 'g'), '',
        `Referrer scheme` = 'h' AND position(Referrer, '://') = 0, concat('https://', Referrer),
        Referrer) AS referer_url,
    -- A text of a campaign, not an address.
    if(`Referrer scheme` = 'c', Referrer, '') AS utm_source,
    UserAgent AS user_agent,
    replaceRegexpOne(Browser, ' [0-9.]+$', '') AS browser,
    replaceRegexpOne(System, ' [0-9.]+$', '') AS system,
    if(present_id(Bot) IN ('', '0'), '', 'Bot') AS device,
    splitByChar('-', Location)[1] AS country,
    Location AS region,
    map(
        'page_title', Title,
        'screen_size', `Screen size`,
        'referrer', if(`Referrer scheme` = 'g', Referrer, '')) AS properties
FROM input
