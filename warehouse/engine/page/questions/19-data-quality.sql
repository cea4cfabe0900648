-- Which defects did the data have?
-- Records that the pipeline counted as duplicates, rejected, or marked with a defect, by layer, table and kind of defect.
-- Chart: value by what
SELECT concat(layer, '.', entity, ' ', metric) AS what, value
FROM dm.dq_summary
WHERE value > 0 AND metric NOT IN ('rows', 'typed')
ORDER BY value DESC
