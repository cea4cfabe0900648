SELECT
    (SELECT count() FROM dm.session) AS rows,
    (SELECT count() FROM dm.page_view) AS page_views;
