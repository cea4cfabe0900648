-- 95 % interval of the difference of two shares, from one session per visitor.
WITH
    variant AS
    (
        SELECT click_id, max(extract(page_url, 'exp=checkout[.]([ab])')) AS name
        FROM dm.event_enriched
        GROUP BY click_id
    ),
    visit AS
    (
        SELECT
            click_id,
            has_purchase,
            row_number() OVER (PARTITION BY user_custom_id ORDER BY session_number) AS number
        FROM dm.session
        WHERE clock = 'right' AND user_custom_id IS NOT NULL
            AND session_date <= (SELECT last_complete_day FROM dm.complete_period)
    )
SELECT
    avgIf(has_purchase, name = 'b') - avgIf(has_purchase, name = 'a') AS difference,
    sqrt(
        varPopIf(has_purchase, name = 'a') / countIf(name = 'a')
        + varPopIf(has_purchase, name = 'b') / countIf(name = 'b')) AS error,
    difference - 1.96 * error AS low,
    difference + 1.96 * error AS high
FROM visit
INNER JOIN variant ON variant.click_id = visit.click_id
WHERE number = 1;
