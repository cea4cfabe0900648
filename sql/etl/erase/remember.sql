-- Adds the sessions and events that came after the erasure, whose other messages may still come.
INSERT INTO stg.erasure
SELECT * REPLACE (arrayConcat(hashes, (SELECT groupArray(hash) FROM dm_internal.erased WHERE hash NOT IN stg.erased)) AS hashes, now64(6) AS written_at)
FROM stg.erasure FINAL
ORDER BY id DESC
LIMIT 1;
