-- A match may be aborted, and one of veridice/1 ends without a reveal.
ALTER TABLE match DROP CONSTRAINT match_state;
ALTER TABLE match DROP CONSTRAINT match_server;
ALTER TABLE match ADD COLUMN kind TEXT NOT NULL DEFAULT '2d6'; -- of dice
ALTER TABLE match ADD COLUMN play BYTEA;                       -- state of the protocol of veridice/1, JSON
ALTER TABLE match ADD COLUMN seq BIGINT NOT NULL DEFAULT 0;    -- number of the opening, 0 for none
ALTER TABLE match ADD CONSTRAINT match_state CHECK (state IN ('open', 'running', 'finished', 'aborted'));
ALTER TABLE match ADD CONSTRAINT match_server CHECK (server IS NULL OR state = 'finished');
CREATE INDEX match_unfinished ON match (match) WHERE state NOT IN ('finished', 'aborted');

ALTER TABLE event ADD COLUMN data BYTEA; -- what only veridice/1 says, JSON

-- Openings and closings, in the order of the log.
CREATE TABLE entry (
    number BIGINT NOT NULL PRIMARY KEY CHECK (number >= 0),
    match  BYTEA  NOT NULL,
    text   BYTEA  NOT NULL
);

-- Numbers of openings: the greatest that was taken, and those that were given back;
-- and the number of entries in the log.
CREATE TABLE numbering (
    one     BIGINT NOT NULL PRIMARY KEY CHECK (one = 1),
    last    BIGINT NOT NULL,
    entries BIGINT NOT NULL
);
INSERT INTO numbering (one, last, entries) VALUES (1, 0, 0);
CREATE TABLE freed (seq BIGINT NOT NULL PRIMARY KEY);

-- What is made once for all who use this database.
CREATE TABLE once (
    name  TEXT  NOT NULL PRIMARY KEY,
    value BYTEA NOT NULL
);
