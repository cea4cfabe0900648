-- One row: sessions with page events on both sides of t_end, and those whose facts change. Facts: browser,
-- source, and the only device and geo message.
WITH
    crossing AS
    (
        SELECT click_id
        FROM ods.browser_event
        WHERE epoch = {epoch:UInt64} AND load_id IN (SELECT load_id FROM ods.load_commit) AND emitted_at IS NOT NULL AND NOT has(markers, 'late_event')
        GROUP BY click_id
        HAVING min(emitted_at) < fromUnixTimestamp64Micro({t_end:Int64}, 'UTC')
            AND max(emitted_at) >= fromUnixTimestamp64Micro({t_end:Int64}, 'UTC')
    ),
    page_event AS
    (
        SELECT event_id, click_id, browser_name, browser_user_agent, browser_language
        FROM ods.browser_event
        WHERE epoch = {epoch:UInt64} AND load_id IN (SELECT load_id FROM ods.load_commit) AND click_id IN (SELECT click_id FROM crossing)
    ),
    changed AS
    (
        SELECT click_id FROM page_event GROUP BY click_id
        HAVING uniqExact(browser_name, browser_user_agent, browser_language) > 1
        UNION ALL
        SELECT page.click_id AS click_id
        FROM ods.location_event AS location
        INNER JOIN (SELECT event_id, click_id FROM page_event) AS page ON location.event_id = page.event_id
        WHERE location.epoch = {epoch:UInt64} AND location.load_id IN (SELECT load_id FROM ods.load_commit)
        GROUP BY page.click_id
        HAVING uniqExact(location.referer_url, location.referer_medium, location.utm_medium, location.utm_source, location.utm_content, location.utm_campaign) > 1
        UNION ALL
        SELECT click_id FROM merge('ods', '^(device|geo)_event$')
        WHERE epoch = {epoch:UInt64} AND load_id IN (SELECT load_id FROM ods.load_commit) AND click_id IN (SELECT click_id FROM crossing)
        GROUP BY _table, click_id HAVING count() > 1
    )
SELECT
    (SELECT count() FROM crossing) AS crossing,
    (SELECT uniqExact(click_id) FROM changed) AS changed,
    (SELECT arraySort(groupUniqArray(3)(toString(click_id))) FROM changed) AS examples;
