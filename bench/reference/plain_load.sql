-- Types the same payloads by a plain INSERT SELECT with equally many threads, without markers,
-- errors and watermark.
CREATE OR REPLACE TABLE stg.plain_browser (event_id UUID, click_id UUID, event_type LowCardinality(String), browser_name LowCardinality(String), browser_user_agent LowCardinality(String), browser_language LowCardinality(String), event_timestamp DateTime64(6, 'UTC'), epoch UInt64, _topic LowCardinality(String), _partition Int32, _offset Int64, _timestamp DateTime64(3, 'UTC'), emitted_at Nullable(DateTime64(6, 'UTC')), ingested_at DateTime64(6, 'UTC')) ENGINE = MergeTree ORDER BY (epoch, _partition, _offset);
CREATE OR REPLACE TABLE stg.plain_location (event_id UUID, page_url LowCardinality(String), page_url_path LowCardinality(String), referer_url LowCardinality(String), referer_medium LowCardinality(String), utm_medium LowCardinality(String), utm_source LowCardinality(String), utm_content LowCardinality(String), utm_campaign LowCardinality(String), epoch UInt64, _topic LowCardinality(String), _partition Int32, _offset Int64, _timestamp DateTime64(3, 'UTC'), emitted_at Nullable(DateTime64(6, 'UTC')), ingested_at DateTime64(6, 'UTC')) ENGINE = MergeTree ORDER BY (epoch, _partition, _offset);
CREATE OR REPLACE TABLE stg.plain_device (click_id UUID, user_domain_id Nullable(UUID), user_custom_id String, os LowCardinality(String), os_name LowCardinality(String), os_timezone LowCardinality(String), device_type LowCardinality(String), device_is_mobile Nullable(Bool), epoch UInt64, _topic LowCardinality(String), _partition Int32, _offset Int64, _timestamp DateTime64(3, 'UTC'), emitted_at Nullable(DateTime64(6, 'UTC')), ingested_at DateTime64(6, 'UTC')) ENGINE = MergeTree ORDER BY (epoch, _partition, _offset);
CREATE OR REPLACE TABLE stg.plain_geo (click_id UUID, geo_country LowCardinality(String), geo_timezone LowCardinality(String), geo_region_name LowCardinality(String), ip_address String, geo_latitude Nullable(Float64), geo_longitude Nullable(Float64), epoch UInt64, _topic LowCardinality(String), _partition Int32, _offset Int64, _timestamp DateTime64(3, 'UTC'), emitted_at Nullable(DateTime64(6, 'UTC')), ingested_at DateTime64(6, 'UTC')) ENGINE = MergeTree ORDER BY (epoch, _partition, _offset);

INSERT INTO stg.plain_browser
SELECT f.event_id, f.click_id, f.event_type, f.browser_name, f.browser_user_agent, f.browser_language, f.event_timestamp, epoch, _topic, _partition, _offset, _timestamp, emitted_at, ingested_at
FROM (SELECT *, JSONExtract(raw, 'Tuple(event_id UUID, click_id UUID, event_type LowCardinality(String), browser_name LowCardinality(String), browser_user_agent LowCardinality(String), browser_language LowCardinality(String), event_timestamp DateTime64(6, \'UTC\'))') AS f FROM stg.raw WHERE _topic = 'browser_events')
SETTINGS max_insert_threads = 2;

INSERT INTO stg.plain_location
SELECT f.event_id, f.page_url, f.page_url_path, f.referer_url, f.referer_medium, f.utm_medium, f.utm_source, f.utm_content, f.utm_campaign, epoch, _topic, _partition, _offset, _timestamp, emitted_at, ingested_at
FROM (SELECT *, JSONExtract(raw, 'Tuple(event_id UUID, page_url LowCardinality(String), page_url_path LowCardinality(String), referer_url LowCardinality(String), referer_medium LowCardinality(String), utm_medium LowCardinality(String), utm_source LowCardinality(String), utm_content LowCardinality(String), utm_campaign LowCardinality(String))') AS f FROM stg.raw WHERE _topic = 'location_events')
SETTINGS max_insert_threads = 2;

INSERT INTO stg.plain_device
SELECT f.click_id, f.user_domain_id, f.user_custom_id, f.os, f.os_name, f.os_timezone, f.device_type, f.device_is_mobile, epoch, _topic, _partition, _offset, _timestamp, emitted_at, ingested_at
FROM (SELECT *, JSONExtract(raw, 'Tuple(click_id UUID, user_domain_id Nullable(UUID), user_custom_id String, os LowCardinality(String), os_name LowCardinality(String), os_timezone LowCardinality(String), device_type LowCardinality(String), device_is_mobile Nullable(Bool))') AS f FROM stg.raw WHERE _topic = 'device_events')
SETTINGS max_insert_threads = 2;

INSERT INTO stg.plain_geo
SELECT f.click_id, f.geo_country, f.geo_timezone, f.geo_region_name, f.ip_address, f.geo_latitude, f.geo_longitude, epoch, _topic, _partition, _offset, _timestamp, emitted_at, ingested_at
FROM (SELECT *, JSONExtract(raw, 'Tuple(click_id UUID, geo_country LowCardinality(String), geo_timezone LowCardinality(String), geo_region_name LowCardinality(String), ip_address String, geo_latitude Nullable(Float64), geo_longitude Nullable(Float64))') AS f FROM stg.raw WHERE _topic = 'geo_events')
SETTINGS max_insert_threads = 2;
