-- The latest changes of matches that go on, one row for each commit, until they have moved
-- to the tables of matches, events and answers (journal.go). A change counts as long as
-- its version is greater than that of its match's row.
CREATE TABLE journal (
    number INTEGER NOT NULL PRIMARY KEY CHECK (number >= 1),
    body   BLOB    NOT NULL
) STRICT;

-- What stood in the row of a match becomes a change that did nothing else.
INSERT INTO journal (body)
    SELECT CAST(match || printf('%d %d %d %d %d %d %d %d %d ', rolls, dice, game, marked, asked, events, version + 1,
        coalesce(length(play) + 1, 0), length(tail)) || coalesce(play, '') || tail AS BLOB) FROM match WHERE length(tail) > 0;
ALTER TABLE match DROP COLUMN tail;

-- An answer stands with an event that came with it, if there is one: one row less. That its
-- key is new is seen before (group.Plan).
ALTER TABLE event ADD COLUMN key TEXT;
ALTER TABLE event ADD COLUMN request BLOB CHECK (length(request) = 32); -- SHA-256 of it
ALTER TABLE event ADD COLUMN body BLOB;
