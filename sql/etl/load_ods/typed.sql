-- Checked messages with their markers. Only marked ones keep their payload.
SELECT
    * EXCEPT (marks, marker_names) REPLACE (if(marks = 0, '', raw) AS raw, if(marks = 0, '', _key) AS _key),
    if(raw = 'erased', ['erased'], arrayMap(bit -> marker_names[bit + 1], bitPositionsToArray(marks))) AS markers,
    {lease_id:UInt64} AS load_id
FROM checked;
