SELECT count() AS rows FROM dm.visitor;
