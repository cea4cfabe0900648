# Re-creates the layer with its views, then loads every message from stg again.
./pipeline ddl --rebuild ods --database .state/labs-repair-13
./pipeline transform --database .state/labs-repair-13
