-- tier: all
-- Creates one database per layer: raw, typed, integrated, presented. A separate database has scratch and
-- commits of dm, so that dm has only what analysts read.
CREATE DATABASE IF NOT EXISTS stg;
CREATE DATABASE IF NOT EXISTS ods;
CREATE DATABASE IF NOT EXISTS dds;
CREATE DATABASE IF NOT EXISTS dm;
CREATE DATABASE IF NOT EXISTS dm_internal;
