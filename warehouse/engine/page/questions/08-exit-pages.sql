-- On which page do sessions without a purchase end?
-- The last page that a visitor saw before leaving without a purchase, and the number of such sessions.
-- Chart: sessions by exit_page
SELECT exit_page, count() AS sessions
FROM dm.session
WHERE NOT has_purchase
GROUP BY exit_page
ORDER BY sessions DESC
LIMIT 20
