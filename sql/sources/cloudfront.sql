-- source: Amazon CloudFront, standard log
-- format: lines
-- first_line: "^#Version: 1\\.0"

-- As access-log.
-- Lacks: sessions, places, and the site's host unless x-host-header is logged.

-- The second line names the fields.
WITH
    (SELECT splitByChar(' ', trim(substring(any(line), 9))) FROM input WHERE startsWith(line, '#Fields:')) AS names,
    mapFromArrays(names, arrayResize(splitByChar('\t', line), length(names))) AS fields,
    (name) -> present(fields[name]) AS field
SELECT
    row,
    concat(field('date'), ' ', field('time')) AS time,
    field('x-edge-request-id') AS event_id,
    concat(
        if(field('x-host-header') = '', '', concat('https://', field('x-host-header'))),
        field('cs-uri-stem'),
        if(field('cs-uri-query') = '', '', concat('?', field('cs-uri-query')))) AS page_url,
    decodeURLComponent(field('cs(Referer)')) AS referer_url,
    -- Older logs encode it twice.
    decodeURLComponent(decodeURLComponent(field('cs(User-Agent)'))) AS user_agent,
    field('c-ip') AS ip_address,
    map('status', field('sc-status')) AS properties,
    multiIf(
        match(field('cs-uri-stem'), '(?i)[.](css|js|mjs|map|png|jpe?g|gif|svg|ico|webp|avif|woff2?|ttf|eot|mp4|webm|txt|xml|webmanifest)$'), 'static file',
        field('cs-method') NOT IN ('', 'GET'), 'method other than GET',
        field('sc-status') LIKE '3%' AND field('sc-status') != '304', 'redirect',
        field('sc-status') >= '400' OR field('sc-status') = '000', 'error',
        '') AS skipped
FROM input
WHERE NOT startsWith(line, '#')
