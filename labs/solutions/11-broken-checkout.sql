-- Middle between the last payment that was confirmed as usual and the next one, per broken version.
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
            minIf(event_timestamp, page_url_path = '/payment') AS paid_at,
            countIf(page_url_path = '/payment') > 0 AS has_payment,
            countIf(page_url_path = '/confirmation') > 0 AS has_confirmation
        FROM dm.event_enriched
        WHERE NOT has(event_markers, 'skewed_clock')
        GROUP BY click_id
        HAVING has_payment
    ),
    broken AS
    (
        SELECT browser
        FROM visit
        GROUP BY browser, day
        HAVING count() >= 20 AND avg(has_confirmation) < 0.5
    ),
    payment AS
    (
        SELECT
            browser,
            paid_at,
            leadInFrame(paid_at, 1, paid_at) OVER later AS next_at,
            has_confirmation - avg(has_confirmation) OVER (PARTITION BY browser) AS surplus
        FROM visit
        WHERE browser IN (SELECT browser FROM broken)
        WINDOW later AS (PARTITION BY browser ORDER BY paid_at ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
    ),
    course AS
    (
        -- Rises while more payments than the mean are confirmed, and falls afterwards.
        SELECT browser, paid_at, next_at, sum(surplus) OVER (PARTITION BY browser ORDER BY paid_at) AS surplus_so_far
        FROM payment
    )
SELECT
    browser,
    argMax((paid_at, next_at), surplus_so_far) AS around,
    around.1 + toIntervalSecond(intDiv(dateDiff('second', around.1, around.2), 2)) AS broken_since
FROM course
GROUP BY browser
ORDER BY browser;
