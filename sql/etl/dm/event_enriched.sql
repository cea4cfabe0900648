-- One row per event with the facts of its session; key event_id.
WITH (SELECT timezone FROM dm_internal.site) AS timezone
SELECT
    event.* EXCEPT markers,
    click.* EXCEPT (click_id, user_custom_id, markers, started_at, _offset),
    nullIf(click.user_custom_id, '') AS user_custom_id,
    event.markers AS event_markers,
    click.markers AS click_markers,
    toDate(event.event_timestamp, timezone) AS event_date,
    toStartOfHour(dm_local_time(event.event_timestamp, timezone), 'UTC') AS event_hour
FROM dds.event AS event
LEFT JOIN dds.click AS click ON event.click_id = click.click_id;
