-- source: Apache or nginx, combined or common log
-- format: lines
-- first_line: '^(\S+ ){3,}\[\d{1,2}/[A-Z][a-z]{2}/\d{4}(:\d\d){3} [+-]\d{4}\] "'

-- A visitor is an address with a user agent. Only requests that show a page are events. Bots are kept with the device
-- Bot.
-- Lacks: sessions, and the site's host unless a line begins with it. Otherwise the host that refers to most files of
-- pages is taken.
WITH
    '^(\\S+ \\S+ \\S.*?) \\[(\\d+)/(\\w+)/(\\d+):(\\S+) (\\S+)\\] "(?:([A-Z]+) )?((?:[^"\\\\]|\\\\.)*?)(?: HTTP/[0-9.]+)?" (\\d+) \\S+(?: "((?:[^"\\\\]|\\\\.)*)" "((?:[^"\\\\]|\\\\.)*)")?' AS pattern,
    extractGroups(line, pattern) AS fields,
    -- Address, identity and user, whose name can have blanks; before them the host, if the log has it. Of the addresses of
    -- proxies, the first is the visitor's.
    splitByChar(' ', replaceRegexpAll(fields[1], ', [0-9A-Fa-f]*[.:][0-9A-Fa-f.:]+', '')) AS names,
    length(names) > 3 AND names[2] != '-' AS has_host,
    '(?i)^[^?]*[.](css|js|mjs|map|png|jpe?g|gif|svg|ico|webp|avif|woff2?|ttf|eot|mp4|webm|txt|xml|webmanifest)([?]|$)' AS files,
    (
        SELECT topK(1)(domain(referer))
        FROM (SELECT extractGroups(line, pattern) AS parts, parts[10] AS referer FROM input WHERE match(line, '(?i)[.](css|js)[? ]'))
        WHERE domain(referer) != ''
    ) AS hosts,
    if(has_host AND names[1] != '-', replaceRegexpOne(names[1], ':\\d+$', ''), hosts[1]) AS host
SELECT
    row,
    if(empty(fields), '', concat(
        fields[4], '-', leftPad(toString(indexOf(['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'], fields[3])), 2, '0'),
        '-', leftPad(fields[2], 2, '0'), ' ', fields[5], fields[6])) AS time,
    trim(BOTH '"' FROM arrayStringConcat(arraySlice(names, 3 + has_host), ' ')) AS account_id,
    concat(if(host = '' OR NOT startsWith(fields[8], '/'), '', concat('https://', host)), fields[8]) AS page_url,
    fields[10] AS referer_url,
    fields[11] AS user_agent,
    names[1 + has_host] AS ip_address,
    map('status', fields[9]) AS properties,
    multiIf(
        empty(fields), '',
        fields[7] = '', 'no request',
        match(fields[8], files), 'static file',
        fields[7] != 'GET', 'method other than GET',
        fields[9] LIKE '3%' AND fields[9] != '304', 'redirect',
        fields[9] >= '400', 'error',
        '') AS skipped
FROM input
