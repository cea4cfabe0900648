-- tier: all
CREATE VIEW IF NOT EXISTS dm.v_retention
    COMMENT 'One row per site, cohort (day of a visitor''s first session) and day since then, up to the last complete day (dm.complete_period). Excludes sessions with a skewed clock: their day is unknown.'
AS
WITH
    (SELECT max(last_complete_day) FROM dm.complete_period) AS last_day,
    visitor AS
    (
        SELECT
            user_custom_id,
            site,
            min(session_date) AS cohort,
            groupUniqArray(session_date) AS days
        FROM dm.session
        WHERE user_custom_id IS NOT NULL AND clock = 'right'
        GROUP BY user_custom_id, site
        HAVING cohort <= last_day
    ),
    cell AS
    (
        SELECT site, cohort, arrayJoin(days) - cohort AS day_number, count() AS visitors
        FROM visitor
        GROUP BY site, cohort, day_number
    ),
    -- Days without a visitor of the cohort count as zero; leaving them out would raise the mean.
    frame AS
    (
        SELECT
            site,
            cohort,
            count() AS cohort_visitors,
            arrayJoin(range(toUInt64(last_day - cohort) + 1)) AS day_number
        FROM visitor
        GROUP BY site, cohort
    )
SELECT
    frame.site AS site,
    frame.cohort AS cohort,
    toUInt16(frame.day_number) AS day_number,
    toUInt64(cell.visitors) AS visitors,
    toUInt64(frame.cohort_visitors) AS cohort_visitors
FROM frame
LEFT JOIN cell ON frame.site = cell.site AND frame.cohort = cell.cohort AND frame.day_number = toUInt64(cell.day_number);

ALTER TABLE dm.v_retention
    COMMENT COLUMN cohort 'Day by the site''s clock of the visitor''s first session',
    COMMENT COLUMN day_number 'Days since the first session',
    COMMENT COLUMN visitors 'Visitors of the cohort with a session on that day';
