-- What an import keeps of its files.

-- Name of the dataset, which its derived ids contain: two datasets may number their sessions alike.
-- hosts: of its site, where pages are paths.
CREATE TABLE IF NOT EXISTS data_set (name String, hosts Array(String), session_pause UInt16) ENGINE = MergeTree ORDER BY name;

-- Files in the order of reading. rows: by the lines of the file; read: those that the engine could read. place, content and
-- select say whether a file is read again, has changed, or is read in another way.
CREATE TABLE IF NOT EXISTS file (number UInt16, path String, rows UInt64, read UInt64, place String, content UInt64, select UInt64)
ENGINE = MergeTree ORDER BY number;

-- Rows of several lines, and lines whose value does not end, of the file that is read; lines count from the header.
CREATE TABLE IF NOT EXISTS long_row (file UInt16, number UInt64, first UInt64, last UInt64, is_closed Bool) ENGINE = MergeTree ORDER BY number;

-- Rows that became no event, with the engine's text or the row's.
CREATE TABLE IF NOT EXISTS rejected
(
    file    UInt16,
    number  UInt64,
    reason  LowCardinality(String),
    detail  String,
    content String
)
ENGINE = MergeTree
ORDER BY (file, number);

-- The rows that became no event, as the file beside the dataset lists them.
CREATE VIEW IF NOT EXISTS rejected_row AS
SELECT file.path AS file, rejected.number AS row, rejected.reason AS reason, rejected.detail AS detail, rejected.content AS content
FROM rejected
JOIN file ON rejected.file = file.number
ORDER BY rejected.file, rejected.number;
