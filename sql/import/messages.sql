-- What the import makes of its events: the messages of the four streams.

-- Ids that are given more than once, with the row that counts. later: events that do not; equal: those of equal rows.
CREATE TABLE IF NOT EXISTS repeated
(
    event_id UUID,
    first    Tuple(file UInt16, number UInt64, content FixedString(16)),
    visit    String,
    later    UInt64,
    equal    UInt64
)
ENGINE = MergeTree
ORDER BY event_id;

-- Events that count. A row can give several events, also of one id.
CREATE OR REPLACE VIEW kept_event AS
SELECT *
FROM event
WHERE rejected = '' AND skipped = '' AND event_id NOT IN (SELECT event_id FROM repeated)
UNION ALL
SELECT *
FROM event
WHERE rejected = '' AND skipped = '' AND (event_id, row, visit) IN (SELECT event_id, first, visit FROM repeated)
LIMIT 1 BY event_id;

-- What a user agent says.
CREATE TABLE IF NOT EXISTS agent
(
    user_agent     String,
    browser        LowCardinality(String),
    system         LowCardinality(String),
    system_version LowCardinality(String),
    device         LowCardinality(String)
)
ENGINE = MergeTree
ORDER BY user_agent;

-- Sessions of the visits that earlier hits began; files have none.
CREATE TABLE IF NOT EXISTS earlier_session
(
    visit       String,
    click_id    UUID,
    first_at    DateTime64(6, 'UTC'),
    last_at     DateTime64(6, 'UTC'),
    has_account Bool
)
ENGINE = MergeTree
ORDER BY visit;

-- Events that count, each with its session. Without a session in the file, a pause of the visitor begins one.
CREATE OR REPLACE VIEW session_event AS
WITH
    (SELECT toIntervalMinute(session_pause) FROM data_set) AS pause,
    kept AS
    (
        -- One number compares faster than a tuple of time and row.
        SELECT *, bitShiftLeft(toUInt128(toUnixTimestamp64Micro(at)), 64) + bitShiftLeft(toUInt64(row.file), 48) + row.number AS place
        FROM kept_event
    ),
    paused AS
    (
        SELECT
            kept.*,
            earlier.click_id AS earlier_click_id,
            earlier.first_at - pause AS earlier_from,
            multiIf(
                at BETWEEN earlier_from AND earlier.last_at + pause, earlier_from,
                at > lagInFrame(at, 1) OVER (PARTITION BY visit ORDER BY place ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) + pause, at,
                toDateTime64(0, 6, 'UTC')) AS begins
        FROM kept
        LEFT ANY JOIN earlier_session AS earlier ON kept.visit = earlier.visit
        WHERE NOT has_session
    ),
    begun AS
    (
        SELECT *, max(begins) OVER (PARTITION BY visit ORDER BY place ROWS UNBOUNDED PRECEDING) AS begin
        FROM paused
    )
SELECT
    *,
    ifNull(toUUIDOrNull(visit), reinterpretAsUUID(sipHash128((SELECT name FROM data_set), 'session', visit))) AS click_id
FROM kept
WHERE has_session
UNION ALL
SELECT
    * EXCEPT (earlier_click_id, earlier_from, begins, begin),
    if(begin = earlier_from, earlier_click_id, reinterpretAsUUID(sipHash128((SELECT name FROM data_set), 'visitor', visit, begin))) AS click_id
FROM begun;

-- The views of messages have the contract's fields that the import computes, and all columns of events, from which the
-- others follow by their names.

-- In the order of time; rows of one time keep the order of their files. The session and visitor ids of the file stay
-- visible: the visitor in the device message, the session here.
CREATE OR REPLACE VIEW browser_message AS
SELECT
    event.* REPLACE (
        if(has_session AND isNull(toUUIDOrNull(visit)),
            mapUpdate(event.properties, map('session_id', if(site = '', visit, substring(visit, position(visit, ' ') + 1)))),
            event.properties) AS properties),
    event.at AS event_timestamp,
    if(event.browser != '', event.browser, agent.browser) AS browser_name,
    event.user_agent AS browser_user_agent,
    event.language AS browser_language
FROM session_event AS event
LEFT ANY JOIN agent ON event.user_agent = agent.user_agent
ORDER BY event.place;

-- Medium of each host that refers to the pages of a site, whose own domains are internal.
CREATE OR REPLACE VIEW referrer AS
WITH
    (SELECT (groupArray(name), groupArray(category)) FROM dm_internal.referring_site) AS sites,
    -- Domains of the pages by site; a page may be a path only.
    (SELECT groupUniqArray(1000)((site, site_of(host))) FROM (SELECT DISTINCT site, host_of(page_url) AS host FROM kept_event)) AS page_domains,
    arrayMap(host -> site_of(if(domain(host) = '', host, host_of(host))), (SELECT any(hosts) FROM data_set)) AS own_domains
SELECT
    site,
    host,
    multiIf(
        site_of(host) != '' AND (has(own_domains, site_of(host)) OR has(page_domains, (site, site_of(host)))), 'internal',
        has(sites.1, host), sites.2[indexOf(sites.1, host)],
        match(host, '(^|[.])(web)?e?mail[0-9]*[.]|^outlook[.](live|office)'), 'email',
        match(host, '^(accounts|calendar|chat|classroom|docs|drive|gemini|groups|meet|sites|translate)[.]google[.]'), 'referral',
        transform(site_of(host), sites.1, sites.2, transform(firstSignificantSubdomain(host), sites.1, sites.2, 'referral'))) AS medium
FROM (SELECT DISTINCT site, host_of(referer_url) AS host FROM kept_event);

-- A parameter of an advertiser says where a visitor came from, if no campaign is given.
CREATE OR REPLACE VIEW location_message AS
WITH address AS
(
    SELECT
        event.*,
        host_of(referer_url) AS referer_host,
        if(utm_source = '', present(parameter(page_url, 'utm_source')), utm_source) AS source,
        if(utm_medium = '', present(parameter(page_url, 'utm_medium')), utm_medium) AS medium,
        if(utm_content = '', present(parameter(page_url, 'utm_content')), utm_content) AS content,
        if(utm_campaign = '', present(parameter(page_url, 'utm_campaign')), utm_campaign) AS campaign,
        lower(extract(page_url, '(?i)[?&](gclid|gbraid|wbraid|dclid|msclkid|yclid|ttclid|twclid|li_fat_id|epik|rdt_cid|sccid)=[^&#]')) AS click,
        multiIf(
            source != '' OR medium != '', (source, medium),
            click IN ('gclid', 'gbraid', 'wbraid', 'dclid'), ('google', 'cpc'),
            click IN ('msclkid', 'yclid'), (if(click = 'yclid', 'yandex', 'bing'), 'cpc'),
            click != '', (transform(click, ['ttclid', 'twclid', 'li_fat_id', 'epik', 'rdt_cid', 'sccid'], ['tiktok', 'twitter', 'linkedin', 'pinterest', 'reddit', 'snapchat'], ''), 'paid_social'),
            match(page_url, '[?&]fbclid=[^&#]'), ('facebook', 'social'),
            ('', '')) AS origin
    FROM kept_event AS event
)
SELECT
    address.* REPLACE (origin.2 AS utm_medium, origin.1 AS utm_source, content AS utm_content, campaign AS utm_campaign),
    path_of(page_url) AS page_url_path,
    multiIf(
        referer_url = '' OR match(referer_url, '^(about|file|data|javascript):'), 'direct',
        match(referer_url, '^/([^/]|$)'), 'internal',
        referrer.medium) AS referer_medium
FROM address
LEFT ANY JOIN referrer ON address.site = referrer.site AND address.referer_host = referrer.host;

-- A session has one device message, and one geo message if an event has a place. Each field has its first value in the session.
-- A session that earlier hits began has had both; an account that comes later gives another device message.
CREATE OR REPLACE VIEW device_message AS
SELECT
    event.*,
    click_id NOT IN (SELECT click_id FROM earlier_session WHERE has_account)
        AND (event.account_id != '' OR click_id NOT IN (SELECT click_id FROM earlier_session)) AS has_message,
    if(event.system != '', event.system, trim(concat(agent.system, ' ', agent.system_version))) AS os,
    if(event.system != '', event.system, agent.system) AS os_name,
    event.timezone AS os_timezone,
    if(event.device != '', event.device, agent.device) AS device_type,
    multiIf(match(device_type, '(?i)mobile|phone|tablet|android|ipad'), true, match(device_type, '(?i)computer|desktop|laptop|pc|tv|bot'), false, NULL) AS device_is_mobile,
    event.visitor_id AS user_custom_id,
    if(event.account_id = '', NULL, ifNull(toUUIDOrNull(event.account_id), reinterpretAsUUID(sipHash128((SELECT name FROM data_set), 'account', of_site(event.site, event.account_id))))) AS user_domain_id
FROM session_event AS event
LEFT ANY JOIN agent ON event.user_agent = agent.user_agent;

CREATE OR REPLACE VIEW geo_message AS
SELECT
    *,
    (isNotNull(latitude) OR country != '' OR region != '' OR ip_address != '')
        AND click_id NOT IN (SELECT click_id FROM earlier_session) AS has_message,
    latitude AS geo_latitude,
    longitude AS geo_longitude,
    country AS geo_country,
    timezone AS geo_timezone,
    region AS geo_region_name
FROM session_event;

