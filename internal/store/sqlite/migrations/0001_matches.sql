CREATE TABLE match (
    match   BLOB    NOT NULL PRIMARY KEY CHECK (length(match) = 16),
    scheme  TEXT    NOT NULL,
    seal    BLOB    NOT NULL CHECK (length(seal) = 32),
    sealed  BLOB    NOT NULL, -- the server seed, encrypted
    server  BLOB,             -- the server seed, after the reveal
    state   TEXT    NOT NULL CHECK (state IN ('open', 'running', 'finished')),
    rolls   INTEGER NOT NULL CHECK (rolls >= 0),
    dice    INTEGER NOT NULL CHECK (dice >= rolls),
    game    INTEGER NOT NULL,
    marked  INTEGER NOT NULL CHECK (marked BETWEEN 0 AND rolls),
    asked   INTEGER NOT NULL,
    events  INTEGER NOT NULL CHECK (events >= rolls),
    version INTEGER NOT NULL,
    created INTEGER NOT NULL, -- milliseconds since 1970, UTC
    CHECK ((server IS NULL) = (state <> 'finished'))
) STRICT, WITHOUT ROWID;

CREATE INDEX unfinished ON match (state) WHERE state <> 'finished';

CREATE TABLE seat (
    match        BLOB    NOT NULL REFERENCES match,
    seat         INTEGER NOT NULL CHECK (seat >= 1),
    token        BLOB    NOT NULL CHECK (length(token) = 32), -- SHA-256 of it
    name         TEXT    NOT NULL,
    acknowledged INTEGER NOT NULL CHECK (acknowledged IN (0, 1)),
    client       TEXT    NOT NULL, -- '' until it is in
    PRIMARY KEY (match, seat)
) STRICT, WITHOUT ROWID;

CREATE TABLE event (
    match BLOB    NOT NULL REFERENCES match,
    event INTEGER NOT NULL CHECK (event >= 1),
    type  TEXT    NOT NULL,
    at    INTEGER NOT NULL, -- milliseconds since 1970, UTC
    seat  INTEGER NOT NULL,
    name  TEXT    NOT NULL,
    roll  INTEGER NOT NULL,
    game  INTEGER NOT NULL,
    dice  TEXT    NOT NULL, -- 6-3
    PRIMARY KEY (match, event)
) STRICT, WITHOUT ROWID;

CREATE TABLE answer (
    match   BLOB NOT NULL REFERENCES match,
    key     TEXT NOT NULL,
    request BLOB NOT NULL CHECK (length(request) = 32), -- SHA-256 of it
    body    BLOB NOT NULL,
    PRIMARY KEY (match, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE creation (
    key     TEXT NOT NULL PRIMARY KEY, -- SHA-256 of it
    match   BLOB NOT NULL REFERENCES match,
    request BLOB NOT NULL CHECK (length(request) = 32), -- SHA-256 of it
    body    BLOB NOT NULL -- encrypted
) STRICT, WITHOUT ROWID;
