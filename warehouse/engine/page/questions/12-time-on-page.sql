-- How long do visitors stay on a page?
-- Median and 90th percentile of the seconds until the session's next page. The last page of a session has no such time.
-- Chart: median_seconds by page
SELECT page_url_path AS page, count() AS views, round(median(time_on_page_seconds), 1) AS median_seconds,
  round(quantile(0.9)(time_on_page_seconds), 1) AS seconds_of_90_percent
FROM dm.page_view
WHERE page != '' AND time_on_page_seconds IS NOT NULL
GROUP BY page
HAVING views >= 20
ORDER BY median_seconds DESC
LIMIT 20
