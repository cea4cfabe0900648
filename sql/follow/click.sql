SELECT * FROM dds.click WHERE click_id = {click_id:UUID};
