-- One row per page event with its place in the session; key event_id. The next page event ends the time on a
-- page. Events of a skewed clock come last. Entry and exit are chosen as in dm.session.
WITH
    (SELECT stages FROM dm_internal.site) AS stages,
    (SELECT timezone FROM dm_internal.site) AS timezone,
    event AS
    (
        SELECT
            event_id,
            click_id,
            page_url_path,
            event_type,
            event_timestamp,
            _offset,
            has(markers, 'skewed_clock') AS is_skewed,
            has(markers, 'location_not_found') AS has_no_page
        FROM dds.event
        WHERE event_type IN ('pageview', 'purchase')
    ),
    view AS
    (
        SELECT
            *,
            row_number() OVER visit AS page_number,
            lagInFrame(page_url_path) OVER visit AS previous_page,
            leadInFrame(page_url_path) OVER visit AS next_page,
            leadInFrame(toNullable(event_timestamp)) OVER visit AS next_timestamp,
            leadInFrame(is_skewed) OVER visit AS is_next_skewed,
            argMin(event_id, (has_no_page, is_skewed, event_timestamp, _offset, event_id)) OVER visit AS entry_id,
            argMax(event_id, (NOT has_no_page, NOT is_skewed, event_timestamp, _offset, event_id)) OVER visit AS exit_id
        FROM event
        WINDOW visit AS
        (
            PARTITION BY click_id ORDER BY is_skewed, event_timestamp, _offset, event_id
            ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING
        )
    )
SELECT
    view.event_id AS event_id,
    view.click_id AS click_id,
    session.site AS site,
    session.user_custom_id AS user_custom_id,
    view.page_url_path AS page_url_path,
    view.previous_page AS previous_page,
    view.next_page AS next_page,
    view.event_type AS event_type,
    session.channel AS channel,
    session.device_type AS device_type,
    session.geo_country AS geo_country,
    if(view.is_skewed, 'ahead', 'right') AS clock,
    view.page_number AS page_number,
    dm_stage(view.page_url_path, stages) AS page_stage,
    if(view.is_next_skewed = (session.clock = 'ahead'),
        (toUnixTimestamp64Micro(view.next_timestamp) - toUnixTimestamp64Micro(view.event_timestamp)) / 1e6, NULL) AS time_on_page_seconds,
    session.is_registered AS is_registered,
    view.event_id = view.entry_id AS is_entry,
    view.event_id = view.exit_id AS is_exit,
    session.session_date AS session_date,
    toDate(view.event_timestamp, timezone) AS event_date,
    toStartOfHour(dm_local_time(view.event_timestamp, timezone), 'UTC') AS event_hour,
    view.event_timestamp AS event_timestamp
FROM view
INNER JOIN dm.session AS session ON view.click_id = session.click_id;
