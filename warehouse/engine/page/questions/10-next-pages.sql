-- Where do visitors go from a page?
-- The most frequent steps from one page to the next within a session, and their share of all views of the page.
-- Chart: views by step
SELECT concat(page_url_path, ' → ', if(is_exit, 'exit', next_page)) AS step, count() AS views,
  round(100 * views / sum(views) OVER (PARTITION BY page_url_path), 1) AS percent_of_page
FROM dm.page_view
WHERE page_url_path != '' AND (is_exit OR next_page != '')
GROUP BY page_url_path, step
ORDER BY views DESC
LIMIT 20
