-- A full refresh shows its result at once and whole.
EXCHANGE TABLES dm.session AND dm.session_build;
