-- source: Amazon CloudFront, standard log
-- format: lines
-- first_line: "^#Version: 1\\.0"

-- The second line names the fields, in an order of its own. A visitor is an address with a user agent; a request for
-- anything but a page is skipped.
WITH
    (SELECT splitByChar(' ', trim(substring(any(line), 9))) FROM input WHERE startsWith(line, '#Fields:')) AS names,
    splitByChar('\t', line) AS fields,
    (name) -> if(fields[indexOf(names, name)] = '-', '', fields[indexOf(names, name)]) AS field
SELECT
    row,
    concat(field('date'), ' ', field('time')) AS time,
    concat(field('cs-uri-stem'), if(field('cs-uri-query') = '', '', concat('?', field('cs-uri-query')))) AS page_url,
    decodeURLComponent(field('cs(Referer)')) AS referer_url,
    decodeURLComponent(field('cs(User-Agent)')) AS user_agent,
    field('c-ip') AS ip_address,
    if(match(field('cs-uri-stem'), '(?i)[.](css|js|png|jpe?g|gif|svg|ico|woff2?|map|webp)$'), 'no page', '') AS skipped
FROM input
WHERE NOT startsWith(line, '#')
