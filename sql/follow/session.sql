SELECT * FROM dm.session WHERE click_id = {click_id:UUID};
