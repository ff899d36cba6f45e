-- A match may be aborted, and one of veridice/1 ends without a reveal: the table is made
-- anew, since SQLite cannot change its checks. Foreign keys are off meanwhile.
CREATE TABLE match_new (
    match   BLOB    NOT NULL PRIMARY KEY CHECK (length(match) = 16),
    scheme  TEXT    NOT NULL,
    kind    TEXT    NOT NULL, -- of dice
    seal    BLOB    NOT NULL CHECK (length(seal) = 32),
    sealed  BLOB    NOT NULL, -- the server seed or the last link of the server's chain, encrypted
    server  BLOB,             -- the server seed, after the reveal
    state   TEXT    NOT NULL CHECK (state IN ('open', 'running', 'finished', 'aborted')),
    rolls   INTEGER NOT NULL CHECK (rolls >= 0),
    dice    INTEGER NOT NULL CHECK (dice >= rolls),
    game    INTEGER NOT NULL,
    marked  INTEGER NOT NULL CHECK (marked BETWEEN 0 AND rolls),
    asked   INTEGER NOT NULL,
    events  INTEGER NOT NULL CHECK (events >= rolls),
    version INTEGER NOT NULL,
    created INTEGER NOT NULL, -- milliseconds since 1970, UTC
    play    BLOB,             -- state of the protocol and of the log, JSON
    seq     INTEGER NOT NULL, -- number of the opening, 0 for none
    CHECK (server IS NULL OR state = 'finished')
) STRICT, WITHOUT ROWID;

INSERT INTO match_new SELECT match, scheme, '2d6', seal, sealed, server, state, rolls, dice, game, marked, asked, events, version,
    created, NULL, 0 FROM match;
DROP TABLE match;
ALTER TABLE match_new RENAME TO match;
CREATE INDEX unfinished ON match (state) WHERE state NOT IN ('finished', 'aborted');

ALTER TABLE event ADD COLUMN data BLOB; -- what else it says, JSON

-- Openings and closings, in the order of the log.
CREATE TABLE entry (
    number INTEGER NOT NULL PRIMARY KEY CHECK (number >= 0),
    match  BLOB    NOT NULL REFERENCES match,
    text   BLOB    NOT NULL
) STRICT;

-- Numbers of openings: the greatest that was taken, and those that were given back.
CREATE TABLE numbering (
    one  INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
    last INTEGER NOT NULL
) STRICT;
INSERT INTO numbering VALUES (1, 0);
CREATE TABLE freed (seq INTEGER NOT NULL PRIMARY KEY) STRICT;

-- What is made once for all who use this database.
CREATE TABLE once (
    name  TEXT NOT NULL PRIMARY KEY,
    value BLOB NOT NULL
) STRICT, WITHOUT ROWID;
