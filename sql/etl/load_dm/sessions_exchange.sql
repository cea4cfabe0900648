-- Built from nothing, the result is shown at once and whole.
EXCHANGE TABLES dm.session AND dm.session_build;
