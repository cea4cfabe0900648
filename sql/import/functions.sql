-- Functions for the SELECT of a source, and for the tables of an import.

-- The text; empty if it means that there is no value, such as NULL or a dash.
CREATE OR REPLACE FUNCTION present AS text -> if(lower(trimBoth(text)) IN ('', '-', '\\n', 'null', '(null)', '<null>', 'none', '(none)', 'nil', 'nan', 'n/a', '#n/a', 'undefined', '(not set)', '(data deleted)', '(direct)', '$direct'), '', trimBoth(text));

-- The first text that is present.
CREATE OR REPLACE FUNCTION first_of AS texts -> arrayFirst(text -> present(text) != '', texts);

-- The id; empty if it is a placeholder. A 0 is an id; if it means none, use nullIf(id, '0').
CREATE OR REPLACE FUNCTION present_id AS id -> if(present(id) IN ('-1', '-1.0', 'false', '[]', '{}', '00000000-0000-0000-0000-000000000000'), '', present(id));

-- Id of several parts; if one of them is a placeholder, none.
CREATE OR REPLACE FUNCTION key_of AS parts -> if(arrayExists(part -> present_id(ifNull(part, '')) = '', parts), arrayFirst(part -> present_id(ifNull(part, '')) = '', parts), arrayStringConcat(arrayMap(part -> replaceAll(replaceAll(trimBoth(ifNull(part, '')), '%', '%25'), ' ', '%20'), parts), ' '));

-- Id of a site's visitor, session or account: two sites may number theirs alike. Without a site it is the id.
CREATE OR REPLACE FUNCTION of_site AS (site, id) -> if(site = '' OR id = '', id, concat(replaceAll(replaceAll(site, '%', '%25'), ' ', '%20'), ' ', id));

-- Time of an ISO 8601 text (in the zone, if it has no offset), or of seconds, milliseconds, microseconds or nanoseconds
-- since 1970; NULL for any other text, also for a day or hour that does not exist. Of an hour that occurs twice, because
-- clocks go back, the first counts.
CREATE OR REPLACE FUNCTION time_in AS (text, zone) -> multiIf(
    -- Most texts have the form of the database. A time that exists is written as it was read.
    length(text) >= 19 AND startsWith(toString(toDateTime64OrNull(text, 6, zone)), text), toTimeZone(toDateTime64OrNull(text, 6, zone), 'UTC'),
    match(text, '^\\d{4}-\\d\\d-\\d\\d([ Tt]([01]\\d|2[0-3]):[0-5]\\d(:[0-5]\\d([.,]\\d+)?)?( ?([Zz]|UTC|[+-](0\\d|1[0-3])(:?[0-5]\\d)?|[+-]14(:?00)?))?)?$')
        AND toString(toDate32OrNull(substring(text, 1, 10))) = substring(text, 1, 10),
    arrayMap(
        -- Without an offset, the clock of the zone must show what the text says.
        at -> if(match(text, '[Zz]|UTC|^.{11}.*[+-]') OR startsWith(toString(at, zone), replaceRegexpOne(substring(text, 1, 16), '[Tt]', ' ')), toTimeZone(at, 'UTC'), NULL),
        [parseDateTime64BestEffortOrNull(
            replaceRegexpOne(replaceRegexpOne(upper(replaceOne(replaceRegexpOne(text, ' ?(UTC|[Zz])$', 'Z'), ',', '.')), '^(.{10})$', '\\1 00:00'), '^(.{16})([^:]|$)', '\\1:00\\2'), 6, zone)])[1],
    match(text, '^\\d{1,19}([.]\\d+)?$'),
    fromUnixTimestamp64Micro(toInt64(multiIf(
        toDecimal128OrZero(text, 6) < 4102444800, toDecimal128OrZero(text, 6) * 1000000,
        toDecimal128OrZero(text, 6) < 4102444800000, toDecimal128OrZero(text, 6) * 1000,
        toDecimal128OrZero(text, 6) < 4102444800000000, toDecimal128OrZero(text, 6),
        toDecimal128OrZero(text, 6) < 4102444800000000000, toDecimal128OrZero(text, 6) / 1000,
        0)), 'UTC'),
    NULL);

-- Time of a text in a Joda pattern, such as M/d/yyyy h:mm:ss.SSS a, in a zone; NULL as in time_in.
CREATE OR REPLACE FUNCTION time_by AS (text, pattern, zone) -> arrayMap(
    -- The clock is read without a zone, because the engine takes the hour that comes twice differently by pattern and zone.
    clock -> time_in(toString(clock), if(match(replaceRegexpAll(pattern, '\'[^\']*\'', ''), '[Zz]'), 'UTC', zone)),
    -- The digits of a fraction after a point are as many as the text has.
    [parseDateTime64InJodaSyntaxOrNull(
        if(NOT match(pattern, '[.,]S'), text, replaceRegexpOne(
            replaceRegexpOne(text, concat('^((?:[^.,]*[.,]){', toString(length(extractAll(extract(pattern, '^(.*?[.,])S'), '[.,]'))), '}\\d+)'), '\\1000000'),
            concat('^((?:[^.,]*[.,]){', toString(length(extractAll(extract(pattern, '^(.*?[.,])S'), '[.,]'))), '}\\d{6})\\d*'), '\\1')),
        replaceRegexpOne(pattern, '([.,])S+', '\\1SSSSSS'),
        'UTC')])[1];

-- pageview, purchase or refund for common names of these; any other name is kept.
CREATE OR REPLACE FUNCTION event_type_of AS name -> multiIf(
    match(lower(name), '^((\\[amplitude\\] |[$](mp_web_)?)?page[ _-]?view(ed)?|view|page|visit|viewed|navigate|get|seitenaufruf|seitenansicht)$'), 'pageview',
    match(lower(name), '^(purchased?|transaction|checkout[ _-]completed?|order[ _-]?(completed?|paid|placed)?|buy|bought|payment[ _-]?ok|sale|kauf|gekauft|bestellung|bestellt)$'), 'purchase',
    match(lower(name), '^((order|payment)?[ _-]?refund(ed)?|(rück)?erstattung|erstattet|gutschrift)$'), 'refund',
    name);

-- Number with a decimal point of an amount such as 1.249,90 or $1,249.90; any other text is kept. Of two separators, the
-- last is decimal. A single point is decimal. A single comma is too, unless three digits follow it and the number does not
-- begin with a zero.
CREATE OR REPLACE FUNCTION amount_of AS text -> if(NOT match(text, '^-?([A-Za-z]{0,2}\\p{Sc}|[A-Za-z]{3})?[\\p{Zs}]?-?[0-9][0-9.,\'’\\p{Zs}]*?([\\p{Zs}]?(\\p{Sc}|[A-Za-z]{3}))?$'), text, arrayMap(digits -> multiIf(
    match(digits, '^-?[0-9.]*,([0-9]{1,2}|[0-9]{4,})$|^-?(0|[0-9]{1,3}([.][0-9]{3})+),[0-9]+$'), replaceOne(replaceAll(digits, '.', ''), ',', '.'),
    match(digits, '^-?[0-9]{1,3}(,[0-9]{3})+([.][0-9]*)?$'), replaceAll(digits, ',', ''),
    match(digits, '^-?[0-9]{1,3}([.][0-9]{3}){2,}$'), replaceAll(digits, '.', ''),
    match(digits, '^-?[0-9]+([.][0-9]+)?$'), digits,
    text), [replaceRegexpAll(text, '[^0-9.,-]', '')])[1]);

-- Computer, Mobile or Tablet for common names of these; any other name is kept.
CREATE OR REPLACE FUNCTION device_of AS name -> transform(
    lower(name),
    ['desktop', 'laptop', 'computer', 'pc', 'mobile', 'smartphone', 'phone', 'phablet', 'iphone', 'android', 'tablet', 'ipad', 'unknown'],
    ['Computer', 'Computer', 'Computer', 'Computer', 'Mobile', 'Mobile', 'Mobile', 'Mobile', 'Mobile', 'Mobile', 'Tablet', 'Tablet', ''],
    name);

-- Value of a parameter of an address, decoded.
CREATE OR REPLACE FUNCTION parameter AS (url, name) -> decodeURLFormComponent(extractURLParameter(url, name));

-- An array of objects with key and value, such as event_params of Google Analytics, as a map of texts.
CREATE OR REPLACE FUNCTION pairs_of AS array -> CAST(arrayMap(
    pair -> (pair.key, arrayFirst(text -> text != '', mapValues(pair.value))),
    JSONExtract(array, 'Array(Tuple(key String, value Map(String, String)))')), 'Map(String, String)');

-- Value of a key in such an array.
CREATE OR REPLACE FUNCTION value_of AS (array, name) -> pairs_of(array)[name];

-- A JSON object as a map of texts.
CREATE OR REPLACE FUNCTION flat AS object -> JSONExtract(object, 'Map(String, String)');

-- The JSON object of a line, empty for any other text. NaN and Infinity, which Python writes, are null; half of a character
-- is U+FFFD; \x22, which nginx writes, is the byte.
CREATE OR REPLACE FUNCTION json_object_of AS line -> arrayMap(
    -- Integers of any length and control characters are read, though the validation refuses them.
    object -> if(startsWith(object, '{') AND isValidJSON(replaceRegexpAll(replaceRegexpAll(toValidUTF8(object), '[\\x00-\\x1f]', ' '), '([:,\\[ ]-?)[0-9]{19,}', '\\10')), object, ''),
    [if(NOT isValidUTF8(line), line, arrayStringConcat(arrayMap(
        part -> multiIf(
            part IN ('NaN', '-NaN', 'Infinity', '-Infinity'), 'null',
            startsWith(part, '"') AND position(part, '\\') > 0, arrayStringConcat(arrayMap(
                escape -> multiIf(
                    match(escape, '^\\\\u[dD][89a-fA-F]..$'), '\\ufffd',
                    match(escape, '^\\\\x[0-7]'), concat('\\u00', substring(escape, 3)),
                    match(escape, '^\\\\x'), unhex(substring(escape, 3)),
                    escape),
                extractAll(part, '(?s)\\\\u[dD][89abAB][0-9a-fA-F]{2}\\\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\\\u[0-9a-fA-F]{4}|\\\\x[0-9a-fA-F]{2}|\\\\.|[^\\\\]+|.'))),
            part),
        extractAll(line, '(?s)"(?:[^"\\\\]|\\\\.)*"|-?(?:NaN|Infinity)|[^"NI-]+|.'))))])[1];

-- Host of an address, with or without a scheme, in lower case. For an Android app its reversed name, for another app the scheme.
CREATE OR REPLACE FUNCTION host_of AS url -> lower(trimRight(multiIf(
    startsWith(url, 'android-app://'), arrayStringConcat(reverse(splitByChar('.', extract(url, '^android-app://([^/]*)'))), '.'),
    domain(url) != '' AND NOT match(url, '^[^:/?#]+://[^/?#]*@'), domain(url),
    match(url, '^(?i)(https?:)?//'), extract(url, '^[^/]*//(?:[^/?#@]*@)?(\\[[^\\]]*\\]|[^/?#:]+)'),
    match(url, '^(?i)localhost([:/]|$)'), 'localhost',
    extract(url, '^([A-Za-z][A-Za-z0-9+.-]*)://')), '.'));

-- Registrable domain of a host; otherwise the host, such as an IP address.
CREATE OR REPLACE FUNCTION site_of AS host -> if(isIPv4String(host) OR cutToFirstSignificantSubdomain(lower(host)) = '', lower(host), cutToFirstSignificantSubdomain(lower(host)));

-- Path of an address or of an app's address, with or without scheme and host; decoded, without the query.
CREATE OR REPLACE FUNCTION path_of AS url -> if(url = '', '', concat('/', trimLeft(decodeURLComponent(multiIf(
    startsWith(url, 'https://') OR startsWith(url, 'http://'), path(cutQueryStringAndFragment(url)),
    match(url, '^(?i)(https?:)?//'), extract(url, '^(?:[A-Za-z]+:)?//[^/?#]*([^?#]*)'),
    match(url, '^[A-Za-z][A-Za-z0-9+.-]*://'), extract(url, '://([^?#]*)'),
    match(url, '^(\\[[0-9A-Fa-f:.]+\\]|localhost|(\\d+[.]){3}\\d+|[^/?#\\s:]+[.][A-Za-z][A-Za-z0-9-]*)(:\\d+)?([/?#]|$)')
        AND NOT match(url, '^[^/?#]+[.]([sx]?html?|php|aspx?|jspx?|cfm|cgi|do|action|xml|json|pdf|txt|csv|zip|js|css|png|jpe?g|gif|svg|ico|webp|woff2?)([?#]|$)'),
    extract(url, '^[^/?#]*([^?#]*)'),
    extract(url, '^([^?#]*)'))), '/')));
