-- On which page do sessions without a purchase end?
-- The last page that a visitor saw before leaving without a purchase, and the number of such sessions; a session whose location messages are missing is unknown.
-- Chart: sessions by last_page
SELECT if(exit_page = '', 'unknown', exit_page) AS last_page, count() AS sessions
FROM dm.session
WHERE NOT has_purchase
GROUP BY last_page
ORDER BY sessions DESC
LIMIT 20
