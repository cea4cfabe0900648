/** Query of name, value and description, like all queries in this file. */
export const EVENTS = `
SELECT event, value, description
FROM system.events
SETTINGS system_events_show_zero_values = 1`;

export const METRICS = "SELECT metric, value, description FROM system.metrics";

/** Query of errors, also of those that have not occurred, so that their rate is 0. */
export const ERRORS = `
SELECT name, sum(count), concat('The number of ', name, ' errors since the engine started')
FROM
(
    SELECT name, toUInt64(value) AS count
    FROM system.errors
    WHERE NOT remote
    UNION ALL
    SELECT errorCodeToName(toUInt32(number)) AS name, 0 AS count
    FROM numbers(2000)
    WHERE name NOT IN ('', 'OK')
)
GROUP BY name
ORDER BY name`;

/** Query of asynchronous metrics, computed because the engine has no such table. */
export const ASYNCHRONOUS = `
WITH
    active AS (SELECT * FROM system.parts WHERE active),
    user_tables AS
    (
        SELECT *
        FROM system.tables
        WHERE NOT is_temporary AND lower(database) NOT IN ('system', 'information_schema')
    )
SELECT metric.1, toFloat64(metric.2), metric.3
FROM
(
    SELECT arrayJoin([
        ('Uptime', toFloat64(uptime()), 'Seconds since the engine started'),
        ('NumberOfDatabases', toFloat64((SELECT count() FROM system.databases)),
            'Databases of the engine'),
        ('NumberOfTables', toFloat64((SELECT count() FROM user_tables)),
            'Tables of all databases except system ones'),
        ('TotalPartsOfMergeTreeTables', toFloat64((SELECT count() FROM active)),
            'Active parts of all MergeTree tables'),
        ('TotalRowsOfMergeTreeTables', toFloat64((SELECT sum(rows) FROM active)),
            'Rows of all MergeTree tables'),
        ('TotalBytesOfMergeTreeTables', toFloat64((SELECT sum(bytes_on_disk) FROM active)),
            'Bytes on disk of all MergeTree tables'),
        ('MaxPartCountForPartition', toFloat64((
            SELECT max(parts)
            FROM (SELECT count() AS parts FROM active GROUP BY database, table, partition_id))),
            'Most active parts of one partition'),
        ('NumberOfDetachedParts', toFloat64((SELECT count() FROM system.detached_parts)),
            'Detached parts of all MergeTree tables'),
        ('LongestRunningMerge', (SELECT max(elapsed) FROM system.merges),
            'Seconds since the start of the longest running merge'),
        ('DiskTotal_default', toFloat64((SELECT sum(total_space) FROM system.disks)),
            'Size of the disk of the data directory, bytes'),
        ('DiskAvailable_default', toFloat64((SELECT sum(free_space) FROM system.disks)),
            'Free bytes of the disk of the data directory')
    ]) AS metric
)`;
