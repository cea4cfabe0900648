-- One row: sessions that saw a page of each funnel stage, counted from the events.
SELECT
    uniqExactIf(click_id, page_url_path = '/home') AS home,
    uniqExactIf(click_id, page_url_path IN ('/product_a', '/product_b')) AS product,
    uniqExactIf(click_id, page_url_path = '/cart') AS cart,
    uniqExactIf(click_id, page_url_path = '/payment') AS payment,
    uniqExactIf(click_id, page_url_path = '/confirmation') AS confirmation
FROM dds.event;
