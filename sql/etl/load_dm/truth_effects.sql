-- Reads the published effects from the manifest of the latest epoch's only source.
TRUNCATE TABLE dm_internal.work_effect;

INSERT INTO dm_internal.work_effect
    (position, counted, measure, dimension, segment, minus, truth, history_from, history_until, window_from, window_until)
SELECT
    position,
    effect.sessions,
    effect.measure,
    effect.dimension,
    effect.segment,
    effect.minus,
    effect.truth,
    parseDateTime64BestEffortOrZero(JSONExtractString(manifest, 't0'), 6, 'UTC') AS history_from,
    parseDateTime64BestEffortOrZero(JSONExtractString(manifest, 'truth', 'sessions_until'), 6, 'UTC') AS history_until,
    if(effect.window.from = '', history_from, parseDateTime64BestEffortOrZero(effect.window.from, 6, 'UTC')),
    if(effect.window.until = '', history_until, parseDateTime64BestEffortOrZero(effect.window.until, 6, 'UTC'))
FROM
(
    SELECT
        any(manifest) AS manifest,
        JSONExtract(
            manifest,
            'truth',
            'effects',
            'Array(Tuple(sessions String, measure String, dimension String, segment String, minus String, truth Float64, window Tuple(from String, until String)))'
        ) AS effects
    FROM stg.manifest FINAL
    WHERE epoch = (SELECT max(epoch) FROM stg.epoch)
    HAVING count() = 1
)
ARRAY JOIN
    effects AS effect,
    arrayEnumerate(effects) AS position;
