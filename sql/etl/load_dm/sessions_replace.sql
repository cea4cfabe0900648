-- The changed rows take the place of their former versions.
DELETE FROM dm.session WHERE click_id IN (SELECT click_id FROM dm.session_build);
INSERT INTO dm.session SELECT * FROM dm.session_build;
