-- The tail of a match stands in its row, so that a roll writes one row. Rows are in the
-- order in which matches were made, so that those that go on share pages.
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
    seq     INTEGER NOT NULL, -- number of the opening, 0 for none
    play    BLOB,             -- state of the protocol and of the log, JSON
    tail    BLOB,             -- its latest events and answers (tail.go)
    CHECK (server IS NULL OR state = 'finished')
) STRICT;

INSERT INTO match_new (match, scheme, kind, seal, sealed, server, state, rolls, dice, game, marked, asked, events, version, created, seq, play, tail)
    SELECT m.match, m.scheme, m.kind, m.seal, m.sealed, m.server, m.state, m.rolls, m.dice, m.game, m.marked, m.asked, m.events, m.version,
        m.created, m.seq, m.play, t.body FROM match m LEFT JOIN tail t USING (match) ORDER BY m.created, m.match;
DROP TABLE tail;
DROP TABLE match;
ALTER TABLE match_new RENAME TO match;
CREATE INDEX unfinished ON match (state) WHERE state NOT IN ('finished', 'aborted');
