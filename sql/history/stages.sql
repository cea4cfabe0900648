-- One row per funnel stage: visits that saw a page of it, by the events themselves.
SELECT stage_number, stage, visits
FROM
(
    SELECT
        multiIf(page_url_path = '/home', 1, page_url_path IN ('/product_a', '/product_b'), 2, page_url_path = '/cart', 3, page_url_path = '/payment', 4, page_url_path = '/confirmation', 5, 0) AS stage_number,
        ['home', 'product', 'cart', 'payment', 'confirmation'][stage_number] AS stage,
        uniqExact(click_id) AS visits
    FROM dds.event
    GROUP BY stage_number
)
WHERE stage_number > 0
ORDER BY stage_number;
