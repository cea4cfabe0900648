-- source: Apache or nginx, combined or common log
-- format: lines
-- first_line: '^(\S+ )?\S+ \S+ \S+ \[\d{1,2}/[A-Z][a-z]{2}/\d{4}(:\d\d){3} [+-]\d{4}\] "'

-- A visitor is an address with a user agent; a pause of 30 minutes separates sessions. Only requests that show a page
-- are events. Bots stay: their device is Bot.
-- Lacks: the site's host, unless a line begins with it. So it is the host that refers to most files of pages.
WITH
    '^(?:(\\S+?)(?::\\d+)? )?(\\S+) \\S+ (\\S+) \\[(\\d+)/(\\w+)/(\\d+):(\\S+) (\\S+)\\] "(?:([A-Z]+) )?((?:[^"\\\\]|\\\\.)*?)(?: HTTP/[0-9.]+)?" (\\d+) \\S+(?: "((?:[^"\\\\]|\\\\.)*)" "((?:[^"\\\\]|\\\\.)*)")?' AS pattern,
    extractGroups(line, pattern) AS fields,
    '(?i)[.](css|js|mjs|map|png|jpe?g|gif|svg|ico|webp|avif|woff2?|ttf|eot|mp4|webm|txt|xml|webmanifest)([?]|$)' AS files,
    (
        SELECT topK(1)(domain(referer))
        FROM (SELECT extractGroups(line, pattern) AS parts, parts[12] AS referer FROM input WHERE match(line, '(?i)[.](css|js)[? ]'))
        WHERE domain(referer) != ''
    ) AS hosts,
    if(fields[1] != '', fields[1], hosts[1]) AS host
SELECT
    row,
    if(empty(fields), '', concat(
        fields[6], '-', leftPad(toString(indexOf(['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'], fields[5])), 2, '0'),
        '-', leftPad(fields[4], 2, '0'), ' ', fields[7], fields[8])) AS time,
    fields[3] AS account_id,
    concat(if(host = '' OR NOT startsWith(fields[10], '/'), '', concat('https://', host)), fields[10]) AS page_url,
    fields[12] AS referer_url,
    fields[13] AS user_agent,
    fields[2] AS ip_address,
    map('status', fields[11]) AS properties,
    multiIf(
        empty(fields), '',
        match(fields[10], files), 'static file',
        fields[9] != 'GET', 'method other than GET',
        fields[11] LIKE '3%' AND fields[11] != '304', 'redirect',
        fields[11] >= '400', 'error',
        '') AS skipped
FROM input
