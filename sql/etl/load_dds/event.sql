-- One row per page event: the winning browser message with its winning location message.
INSERT INTO dds.event
WITH
    browser AS
    (
        SELECT
            candidate.event_id AS event_id,
            candidate.click_id AS click_id,
            candidate.event_type AS event_type,
            candidate.browser_name AS browser_name,
            candidate.browser_user_agent AS browser_user_agent,
            candidate.browser_language AS browser_language,
            candidate.event_timestamp AS event_timestamp,
            candidate.markers AS markers,
            repeated.duplicates AS duplicates,
            repeated.superseded AS superseded
        FROM dds.browser_candidate AS candidate
        LEFT JOIN (SELECT * FROM dds.work_repeated WHERE stream = 'browser') AS repeated
            ON candidate.event_id = repeated.id
        WHERE cityHash64(candidate.event_id) % {buckets:UInt32} = {bucket:UInt32}
            AND (repeated.stream = '' OR (candidate.epoch, candidate._partition, candidate._offset)
                = (repeated.epoch, repeated._partition, repeated._offset))
    ),
    location AS
    (
        SELECT
            true AS is_found,
            candidate.event_id AS event_id,
            candidate.page_url AS page_url,
            candidate.page_url_path AS page_url_path,
            candidate.referer_url AS referer_url,
            candidate.referer_medium AS referer_medium,
            candidate.utm_medium AS utm_medium,
            candidate.utm_source AS utm_source,
            candidate.utm_content AS utm_content,
            candidate.utm_campaign AS utm_campaign,
            candidate.markers AS markers
        FROM dds.location_candidate AS candidate
        LEFT JOIN (SELECT * FROM dds.work_repeated WHERE stream = 'location') AS repeated
            ON candidate.event_id = repeated.id
        WHERE cityHash64(candidate.event_id) % {buckets:UInt32} = {bucket:UInt32}
            AND (repeated.stream = '' OR (candidate.epoch, candidate._partition, candidate._offset)
                = (repeated.epoch, repeated._partition, repeated._offset))
    )
SELECT
    browser.event_id AS event_id,
    browser.click_id AS click_id,
    browser.event_type AS event_type,
    browser.browser_name AS browser_name,
    browser.browser_user_agent AS browser_user_agent,
    browser.browser_language AS browser_language,
    location.page_url AS page_url,
    location.page_url_path AS page_url_path,
    location.referer_url AS referer_url,
    location.referer_medium AS referer_medium,
    location.utm_medium AS utm_medium,
    location.utm_source AS utm_source,
    location.utm_content AS utm_content,
    location.utm_campaign AS utm_campaign,
    arrayConcat(browser.markers, location.markers, if(location.is_found, [], ['location_not_found'])) AS markers,
    browser.duplicates AS duplicates,
    browser.superseded AS superseded,
    browser.event_id IN (SELECT id FROM dds.work_touched WHERE kind = 'event') AS is_rewritten,
    browser.event_timestamp AS event_timestamp,
    {to_load:UInt64} AS load_id
FROM browser
LEFT JOIN location ON browser.event_id = location.event_id
SETTINGS max_partitions_per_insert_block = 0;
