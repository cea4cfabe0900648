# A full refresh computes dds from ods, which still has the messages of the deleted sessions.
./pipeline transform --database .state/labs-repair-14
