-- tier: broker
CREATE TABLE IF NOT EXISTS stg.queue
(
    raw String
)
ENGINE = Kafka(kafka)
SETTINGS
    kafka_topic_list = 'browser_events, location_events, device_events, geo_events',
    kafka_group_name = 'stg_raw',
    kafka_format = 'RawBLOB',
    kafka_num_consumers = 2,
    kafka_max_block_size = 131072,
    kafka_poll_max_batch_size = 16384,
    kafka_poll_timeout_ms = 250,
    kafka_flush_interval_ms = 3000
COMMENT 'Reads the event topics: one row per message, valid or not. The named collection `kafka` has address and credentials. Two consumers read in parallel and share one insert.';
