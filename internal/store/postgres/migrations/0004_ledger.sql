-- What is no match: seed pairs, API keys, addresses that hear of events. The texts are
-- JSON; secrets in them are encrypted or hashed. Names are bytes, so that their order is
-- the same under every collation.
CREATE TABLE book (
    kind    TEXT   NOT NULL,
    name    BYTEA  NOT NULL,
    version BIGINT NOT NULL CHECK (version >= 1),
    state   TEXT   NOT NULL,
    PRIMARY KEY (kind, name)
);

CREATE TABLE line (
    kind   TEXT   NOT NULL,
    name   BYTEA  NOT NULL,
    shelf  TEXT   NOT NULL,
    number BIGINT NOT NULL,
    text   TEXT   NOT NULL,
    PRIMARY KEY (kind, name, shelf, number)
);

CREATE TABLE book_answer (
    kind    TEXT  NOT NULL,
    name    BYTEA NOT NULL,
    key     TEXT  NOT NULL,
    request BYTEA NOT NULL CHECK (length(request) = 32), -- SHA-256 of it
    body    BYTEA NOT NULL,
    PRIMARY KEY (kind, name, key)
);

-- What others may have to hear of, in the order in which it happened: whoever adds to it
-- holds the row of its last number until the end of the transaction.
CREATE TABLE news (
    number BIGINT NOT NULL PRIMARY KEY CHECK (number >= 1),
    text   TEXT   NOT NULL
);
CREATE TABLE news_last (
    one  BIGINT NOT NULL PRIMARY KEY CHECK (one = 1),
    last BIGINT NOT NULL
);
INSERT INTO news_last (one, last) VALUES (1, 0);
