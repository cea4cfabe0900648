# Re-creates the layer with its views, then loads every message from stg again.
npm run pipeline -- ddl --rebuild ods --database .state/labs-repair-13
npm run pipeline -- transform --database .state/labs-repair-13
