-- tier: all
CREATE VIEW IF NOT EXISTS dm.v_cohort_retention
    COMMENT 'One row per site, cohort (week of a visitor''s first session, from Monday) and week since then, up to the last complete week (dm.complete_period). Excludes sessions with a skewed clock: their week is unknown.'
AS
WITH
    -- The week that begins on the day after the last complete one is not complete.
    (SELECT toMonday(max(last_complete_day) + 1) FROM dm.complete_period) AS end,
    cohort AS
    (
        SELECT site, toMonday(first_date) AS cohort_week, count() AS cohort_visitors
        FROM dm.visitor
        WHERE clock = 'right' AND first_date < end
        GROUP BY site, cohort_week
    ),
    cell AS
    (
        SELECT visitor.site AS site, toMonday(visitor.first_date) AS cohort_week, toMonday(session.session_date) AS week, uniqExact(user_custom_id) AS visitors
        FROM dm.session AS session
        INNER JOIN dm.visitor AS visitor ON session.user_custom_id = visitor.user_custom_id
        WHERE session.clock = 'right' AND session.session_date < end
        GROUP BY site, cohort_week, week
    ),
    -- Weeks without a visitor of the cohort count as zero.
    frame AS
    (
        SELECT site, cohort_week, cohort_visitors, arrayJoin(range(toUInt64(intDiv(end - cohort_week, 7)))) AS week_number
        FROM cohort
    )
SELECT
    frame.site AS site,
    frame.cohort_week AS cohort_week,
    toUInt16(frame.week_number) AS week_number,
    toUInt64(cell.visitors) AS visitors,
    toUInt64(frame.cohort_visitors) AS cohort_visitors,
    visitors / cohort_visitors AS share
FROM frame
LEFT JOIN cell ON frame.site = cell.site AND frame.cohort_week = cell.cohort_week AND frame.cohort_week + 7 * frame.week_number = cell.week;

ALTER TABLE dm.v_cohort_retention
    COMMENT COLUMN cohort_week 'Monday of the week of the visitor''s first session',
    COMMENT COLUMN week_number 'Weeks since the week of the first session, from 0',
    COMMENT COLUMN visitors 'Visitors of the cohort with a session in that week',
    COMMENT COLUMN cohort_visitors 'Visitors of the cohort',
    COMMENT COLUMN share 'Share of the cohort''s visitors with a session in that week, 0 to 1';
