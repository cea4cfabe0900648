-- How a file of tabs uses backslashes: the first row that has one, rows in which one is text, and rows in which one
-- escapes: a value that is \N, a doubled one, or one before an apostrophe.
SELECT
    min(number) AS first,
    countIf(NOT match(text, '^(?:[^\\\\]|\\\\[\\\\bfnrtvN0\']|\\\\\r?$)*$')) AS texts,
    countIf(match(text, '(?:^|\t)\\\\N(?:\t|\r?$)|\\\\\\\\|\\\\\'')) AS escapes
FROM line
WHERE number > 0 AND position(text, '\\') > 0;
