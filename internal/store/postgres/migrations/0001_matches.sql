CREATE TABLE match (
    match   BYTEA  NOT NULL PRIMARY KEY CHECK (length(match) = 16),
    scheme  TEXT   NOT NULL,
    seal    BYTEA  NOT NULL CHECK (length(seal) = 32),
    sealed  BYTEA  NOT NULL, -- the server seed, encrypted
    server  BYTEA,           -- the server seed, after the reveal
    state   TEXT   NOT NULL,
    seats   TEXT   NOT NULL, -- JSON: token (SHA-256 of it), name, acknowledged, client of each
    rolls   BIGINT NOT NULL CHECK (rolls >= 0),
    dice    BIGINT NOT NULL CHECK (dice >= rolls),
    game    BIGINT NOT NULL,
    marked  BIGINT NOT NULL CHECK (marked BETWEEN 0 AND rolls),
    asked   BIGINT NOT NULL,
    events  BIGINT NOT NULL CHECK (events >= rolls),
    version BIGINT NOT NULL,
    created BIGINT NOT NULL, -- milliseconds since 1970, UTC
    CONSTRAINT match_state CHECK (state IN ('open', 'running', 'finished')),
    CONSTRAINT match_server CHECK ((server IS NULL) = (state <> 'finished'))
);

-- What refers to a match has no foreign key: each row would look its match up again,
-- though the same transaction has just locked it. "veridiced check" compares them.
CREATE TABLE event (
    match BYTEA  NOT NULL,
    event BIGINT NOT NULL CHECK (event >= 1),
    type  TEXT   NOT NULL,
    at    BIGINT NOT NULL, -- milliseconds since 1970, UTC
    seat  BIGINT NOT NULL,
    name  TEXT   NOT NULL,
    roll  BIGINT NOT NULL,
    game  BIGINT NOT NULL,
    dice  TEXT   NOT NULL, -- 6-3
    PRIMARY KEY (match, event)
);

CREATE TABLE answer (
    match   BYTEA NOT NULL,
    key     TEXT  NOT NULL,
    request BYTEA NOT NULL CHECK (length(request) = 32), -- SHA-256 of it
    body    BYTEA NOT NULL,
    PRIMARY KEY (match, key)
);

CREATE TABLE creation (
    key     TEXT  NOT NULL PRIMARY KEY, -- SHA-256 of it
    match   BYTEA NOT NULL,
    request BYTEA NOT NULL CHECK (length(request) = 32), -- SHA-256 of it
    body    BYTEA NOT NULL -- encrypted
);
