# The steps can be repeated: load_dds starts again from ods.
./pipeline transform --database .state/labs-repair-10
