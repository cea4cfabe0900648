-- What was wrong with the data?
-- Duplicates, rejected messages and marked records, by layer and table.
SELECT concat(layer, '.', entity, ' ', metric) AS what, value
FROM dm.dq_summary
WHERE value > 0 AND metric NOT IN ('rows', 'typed')
ORDER BY value DESC
