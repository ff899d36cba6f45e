-- The published log: its state, and the hashes of its Merkle tree in the order in which
-- they were added.
CREATE TABLE tree (
    one        INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
    version    INTEGER NOT NULL,
    size       INTEGER NOT NULL,
    checkpoint BLOB    NOT NULL, -- of this size, signed by the log alone
    shown      BLOB    NOT NULL, -- the latest that may be shown
    shown_size INTEGER NOT NULL CHECK (shown_size <= size),
    receipted  INTEGER NOT NULL CHECK (receipted <= shown_size)
) STRICT;
INSERT INTO tree VALUES (1, 0, 0, x'', x'', 0, 0);

CREATE TABLE hash (
    number INTEGER NOT NULL PRIMARY KEY CHECK (number >= 0),
    hash   BLOB    NOT NULL CHECK (length(hash) = 32)
) STRICT;
