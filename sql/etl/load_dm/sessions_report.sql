SELECT count() AS rows FROM dm.session;
