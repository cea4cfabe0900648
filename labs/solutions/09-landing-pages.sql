-- The first page of most sessions, by campaign.
SELECT
    utm_campaign,
    entry_page,
    count() / sum(count()) OVER (PARTITION BY utm_campaign) AS share
FROM dm.session
WHERE utm_campaign != '' AND entry_page != ''
GROUP BY utm_campaign, entry_page
ORDER BY share DESC
LIMIT 1 BY utm_campaign;
