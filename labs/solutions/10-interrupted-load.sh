# The steps can be repeated: load_dds starts again from ods.
npm run pipeline -- transform --database .state/labs-repair-10
