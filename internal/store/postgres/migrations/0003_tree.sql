-- The published log: its state, and the hashes of its Merkle tree in the order in which
-- they were added.
CREATE TABLE tree (
    one        BIGINT NOT NULL PRIMARY KEY CHECK (one = 1),
    version    BIGINT NOT NULL,
    size       BIGINT NOT NULL,
    hashes     BIGINT NOT NULL, -- that are stored
    checkpoint BYTEA  NOT NULL, -- of this size, signed by the log alone
    shown      BYTEA  NOT NULL, -- the latest that may be shown
    shown_size BIGINT NOT NULL CHECK (shown_size <= size),
    receipted  BIGINT NOT NULL CHECK (receipted <= shown_size)
);
INSERT INTO tree (one, version, size, hashes, checkpoint, shown, shown_size, receipted) VALUES (1, 0, 0, 0, '', '', 0, 0);

CREATE TABLE hash (
    number BIGINT NOT NULL PRIMARY KEY CHECK (number >= 0),
    hash   BYTEA  NOT NULL CHECK (length(hash) = 32)
);
