-- Shows a full build at once.
EXCHANGE TABLES dm.session AND dm.session_build;
