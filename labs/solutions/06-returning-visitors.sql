-- Share of the sessions that are not their visitor's first one.
SELECT avg(number > 1) AS share
FROM
(
    SELECT row_number() OVER (PARTITION BY user_custom_id ORDER BY started_at) AS number
    FROM dm.session
    WHERE user_custom_id IS NOT NULL AND clock = 'right'
);
