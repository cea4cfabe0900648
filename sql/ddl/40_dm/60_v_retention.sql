-- tier: all
-- One row per cohort (day of a visitor's first visit) and day since then, up to the last day that is over:
-- a day is over once an event of a right clock is known from the next. Visits of which all events come
-- from clocks that are ahead belong to no known day: they found no cohort and are no return.
CREATE VIEW IF NOT EXISTS dm.v_retention AS
WITH
    (
        -- Without events the first day of 1970, not the day before it: dates have no such day.
        SELECT greatest(toDate(max(event_timestamp), 'UTC'), toDate('1970-01-02')) - 1
        FROM dm.event_enriched
        WHERE NOT has(event_markers, 'skewed_clock')
    ) AS last_day,
    visitor AS
    (
        SELECT
            user_custom_id,
            min(session_date) AS cohort,
            groupUniqArray(session_date) AS days
        FROM dm.session
        WHERE user_custom_id != ''
            AND (click_id, page_events) NOT IN
            (
                SELECT click_id, toUInt32(count())
                FROM dm.event_enriched
                WHERE has(event_markers, 'skewed_clock')
                GROUP BY click_id
            )
        GROUP BY user_custom_id
        HAVING cohort <= last_day
    ),
    cell AS
    (
        SELECT cohort, arrayJoin(days) - cohort AS day_number, count() AS visitors
        FROM visitor
        GROUP BY cohort, day_number
    ),
    -- Days on which nobody of a cohort came count as well: leaving them out would flatter the mean.
    frame AS
    (
        SELECT
            cohort,
            count() AS cohort_visitors,
            arrayJoin(range(toUInt64(last_day - cohort) + 1)) AS day_number
        FROM visitor
        GROUP BY cohort
    )
SELECT
    frame.cohort AS cohort,
    toUInt16(frame.day_number) AS day_number,
    toUInt64(cell.visitors) AS visitors,
    toUInt64(frame.cohort_visitors) AS cohort_visitors
FROM frame
LEFT JOIN cell ON frame.cohort = cell.cohort AND frame.day_number = toUInt64(cell.day_number);
