-- Which landing pages keep visitors?
-- First pages of at least 20 sessions: percent of sessions that ended with this single page event (bounce), and percent with a purchase.
-- Chart: percent_bounce by landing_page
SELECT entry_page AS landing_page, count() AS sessions, round(100 * avg(is_bounce), 1) AS percent_bounce,
  round(100 * avg(has_purchase), 1) AS percent_with_purchase
FROM dm.session
WHERE landing_page != ''
GROUP BY landing_page
HAVING sessions >= 20
ORDER BY sessions DESC
LIMIT 20
