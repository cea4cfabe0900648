-- tier: all
-- Functions of the marts. A function has no database, so its name begins with the layer.

-- Time by the clock of a zone, which its type calls UTC.
CREATE OR REPLACE FUNCTION dm_local_time AS (at, timezone) -> addSeconds(at, timeZoneOffset(toTimeZone(at, timezone)));

-- Whether a path is a page of a site's funnel. A page that ends with * is the start of paths.
CREATE OR REPLACE FUNCTION dm_is_page AS (path, page) -> path = page OR endsWith(page, '*') AND startsWith(path, substring(page, 1, length(page) - 1));

-- Number of the funnel stage of a path, the last one that has it; 0 for none.
CREATE OR REPLACE FUNCTION dm_stage AS (path, stages) -> toUInt8(arrayLastIndex(stage -> arrayExists(page -> dm_is_page(path, page), stage.pages), stages));

-- Channel of a session, by dm_channel_rule and the sites of dm_internal.referring_site: (names, categories). A campaign
-- without a source is of the referrer.
CREATE OR REPLACE FUNCTION dm_channel AS (utm_medium, utm_source, utm_campaign, referer_medium, sites) -> dm_channel_rule(
    lower(utm_medium),
    lower(utm_source),
    lower(utm_campaign),
    referer_medium,
    dm_site_category(lower(utm_source), sites),
    dm_paid_category(lower(utm_medium), if(utm_source = '', referer_medium, dm_site_category(lower(utm_source), sites))));

-- Category of a site by its name or host; empty if no list has it.
CREATE OR REPLACE FUNCTION dm_site_category AS (site, sites) ->
    transform(site, sites.1, sites.2, transform(firstSignificantSubdomain(site), sites.1, sites.2, ''));

-- Category of a paid medium: that of the source, or the one that a medium such as paid_social names, or other; empty if
-- the medium is not paid.
CREATE OR REPLACE FUNCTION dm_paid_category AS (medium, category) -> multiIf(
    NOT match(medium, '^(.*cp.*|ppc|retargeting|paid.*)$'), '',
    category IN ('search', 'social', 'video', 'shopping'), category,
    match(medium, 'search|social|video|shopping'), extract(medium, 'search|social|video|shopping'),
    'other');

-- The first rule that holds, of the default channel group of Google Analytics without the rules that need the
-- advertiser's account.
CREATE OR REPLACE FUNCTION dm_channel_rule AS (medium, source, campaign, referer_medium, category, paid_category) -> multiIf(
    medium = '' AND source = '' AND referer_medium = '', 'unknown',
    campaign LIKE '%cross-network%', 'cross-network',
    medium = '' AND source = '', transform(referer_medium,
        ['internal', 'search', 'social', 'video', 'shopping', 'email', 'referral', 'direct'],
        ['direct', 'organic search', 'organic social', 'organic video', 'organic shopping', 'email', 'referral', 'direct'], 'other'),
    paid_category != '' AND dm_is_shop(campaign), 'paid shopping',
    paid_category NOT IN ('', 'other'), concat('paid ', paid_category),
    medium IN ('display', 'banner', 'expandable', 'interstitial', 'cpm'), 'display',
    paid_category = 'other', 'paid other',
    category = 'shopping' OR dm_is_shop(campaign), 'organic shopping',
    category = 'social' OR match(medium, '^(sm|social([ _-](network|media))?)$'), 'organic social',
    category = 'video' OR medium LIKE '%video%', 'organic video',
    category = 'search' OR medium = 'organic', 'organic search',
    medium IN ('referral', 'app', 'link'), 'referral',
    match(medium, '^e[ _-]?mail$') OR match(source, '^e[ _-]?mail$') OR category = 'email', 'email',
    medium IN ('affiliate', 'audio', 'sms'), medium,
    source = 'sms', 'sms',
    match(medium, 'push$|mobile|notification') OR source = 'firebase', 'mobile push',
    'other campaign');

-- Whether the name of a campaign says shop or shopping; bishop does not.
CREATE OR REPLACE FUNCTION dm_is_shop AS campaign -> match(campaign, '(^|[^a-df-z])shop|shopping');
