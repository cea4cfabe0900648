-- On which page do sessions end?
-- Sessions by their last page, for those without a purchase.
SELECT exit_page, count() AS sessions
FROM dm.session
WHERE NOT has_purchase
GROUP BY exit_page
ORDER BY sessions DESC
LIMIT 20
