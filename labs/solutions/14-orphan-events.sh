# A full refresh computes dds from ods, which still has the messages of the deleted sessions.
npm run pipeline -- transform --database .state/labs-repair-14
