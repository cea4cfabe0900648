-- tier: broker
-- Reads the topic: one row per message, valid or not. The named collection `kafka` has address and
-- credentials.
CREATE TABLE IF NOT EXISTS stg.location_queue
(
    raw String
)
ENGINE = Kafka(kafka)
SETTINGS
    kafka_topic_list = 'location_events',
    kafka_group_name = 'stg_location',
    kafka_format = 'RawBLOB',
    kafka_num_consumers = 1,
    kafka_max_block_size = 131072,
    kafka_poll_max_batch_size = 16384,
    kafka_poll_timeout_ms = 250,
    kafka_flush_interval_ms = 3000;
