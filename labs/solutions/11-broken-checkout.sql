-- First day on which fewer than half of a version's sessions with the payment page were confirmed.
WITH
    visit AS
    (
        SELECT
            any(browser_name) AS name,
            any(browser_user_agent) AS agent,
            -- The user agent of most browsers names Chrome or Safari too, so their own names come first.
            extract(agent, '(?:Edg|SamsungBrowser|Firefox|Version)/(\\d+)') AS own_version,
            concat(name, ' ', if(own_version != '', own_version, extract(agent, 'Chrome/(\\d+)'))) AS browser,
            min(event_date) AS day,
            countIf(page_url_path = '/payment') > 0 AS has_payment,
            countIf(page_url_path = '/confirmation') > 0 AS has_confirmation
        FROM dm.event_enriched
        WHERE NOT has(event_markers, 'skewed_clock')
        GROUP BY click_id
    ),
    broken AS
    (
        SELECT browser, day
        FROM visit
        WHERE has_payment
        GROUP BY browser, day
        HAVING count() >= 20 AND avg(has_confirmation) < 0.5
    )
SELECT browser, min(day) AS broken_since
FROM broken
GROUP BY browser
ORDER BY browser;
