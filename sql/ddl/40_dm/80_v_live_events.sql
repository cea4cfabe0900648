-- tier: all
CREATE VIEW IF NOT EXISTS dm.v_live_events
    SQL SECURITY DEFINER
    COMMENT 'One row per event that came in the last 30 minutes, straight from stg and before any load; key event_id. Excludes repeats of an earlier event.'
AS
WITH
    browser AS
    (
        SELECT *, field.event_id AS event_id, field.click_id AS click_id, field.event_type AS event_type
        FROM dm_internal.live_browser
        WHERE is_typed
        ORDER BY event_id, epoch DESC, _partition, _offset
        LIMIT 1 BY event_id
    ),
    location AS
    (
        SELECT *, field.event_id AS event_id
        FROM dm_internal.live_location
        WHERE is_typed
        ORDER BY event_id, epoch DESC, _partition, _offset
        LIMIT 1 BY event_id
    ),
    device AS
    (
        SELECT *, field.click_id AS click_id
        FROM dm_internal.live_device
        WHERE is_typed
        ORDER BY click_id, epoch DESC, isNull(user_domain_id), _partition, _offset
        LIMIT 1 BY click_id
    ),
    -- What loads have stored of these sessions before.
    stored_event AS (SELECT event_id, toNullable(_offset) AS _offset FROM dds.event WHERE click_id IN (SELECT click_id FROM browser)),
    stored_click AS (SELECT click_id, user_custom_id FROM dds.click WHERE click_id IN (SELECT click_id FROM browser))
SELECT
    toStartOfMinute(browser.ingested_at) AS minute,
    assumeNotNull(browser.event_id) AS event_id,
    assumeNotNull(browser.click_id) AS click_id,
    browser.field.site AS site,
    nullIf(if(stored_click.user_custom_id = '', device.field.user_custom_id, stored_click.user_custom_id), '') AS user_custom_id,
    browser.event_type AS event_type,
    location.field.page_url_path AS page_url_path,
    location.field.referer_medium AS referer_medium,
    location.field.utm_medium AS utm_medium,
    location.field.utm_source AS utm_source,
    location.field.utm_campaign AS utm_campaign,
    browser.order_value AS order_value,
    browser.currency AS currency,
    browser.markers AS event_markers,
    assumeNotNull(browser.event_timestamp) AS event_timestamp,
    browser.ingested_at AS ingested_at
FROM browser
LEFT JOIN location ON browser.event_id = location.event_id
LEFT JOIN device ON browser.click_id = device.click_id
LEFT JOIN stored_event ON browser.event_id = stored_event.event_id
LEFT JOIN stored_click ON browser.click_id = stored_click.click_id
WHERE browser.ingested_at >= toStartOfMinute(now('UTC')) - INTERVAL 29 MINUTE
    AND ifNull(stored_event._offset >= browser._offset, true);

ALTER TABLE dm.v_live_events
    COMMENT COLUMN minute 'Minute in which the event came, UTC',
    COMMENT COLUMN order_value 'Value of the order or of what the event is about; null without one';
