-- What is no match: seed pairs, API keys, addresses that hear of events. The texts are
-- JSON; secrets in them are encrypted or hashed.
CREATE TABLE book (
    kind    TEXT    NOT NULL,
    name    TEXT    NOT NULL,
    version INTEGER NOT NULL CHECK (version >= 1),
    state   TEXT    NOT NULL,
    PRIMARY KEY (kind, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE line (
    kind   TEXT    NOT NULL,
    name   TEXT    NOT NULL,
    shelf  TEXT    NOT NULL,
    number INTEGER NOT NULL,
    text   TEXT    NOT NULL,
    PRIMARY KEY (kind, name, shelf, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE book_answer (
    kind    TEXT NOT NULL,
    name    TEXT NOT NULL,
    key     TEXT NOT NULL,
    request BLOB NOT NULL CHECK (length(request) = 32), -- SHA-256 of it
    body    BLOB NOT NULL,
    PRIMARY KEY (kind, name, key)
) STRICT, WITHOUT ROWID;

-- What others may have to hear of, in the order in which it happened.
CREATE TABLE news (
    number INTEGER NOT NULL PRIMARY KEY CHECK (number >= 1),
    text   TEXT    NOT NULL
) STRICT;
