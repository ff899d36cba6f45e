-- The answer to a change stands in the row of one of its events, so that a roll adds one row
-- to one table. An answer without an event has a row of its own: its number is below 0,
-- that of the version, and its type is empty.
ALTER TABLE event DROP CONSTRAINT event_event_check;
ALTER TABLE event ADD COLUMN key BYTEA;     -- UTF-8, so that its order is the same under every collation
ALTER TABLE event ADD COLUMN request BYTEA; -- SHA-256 of it
ALTER TABLE event ADD COLUMN body BYTEA;
INSERT INTO event (match, event, type, at, seat, name, roll, game, dice, key, request, body)
    SELECT match, -row_number() OVER (PARTITION BY match ORDER BY key), '', 0, 0, '', 0, 0, '', convert_to(key, 'UTF8'), request, body FROM answer;
DROP TABLE answer;
CREATE UNIQUE INDEX event_key ON event (match, key) WHERE key IS NOT NULL;

-- One check instead of eight: the database reads each of them anew for every statement.
ALTER TABLE match DROP CONSTRAINT match_match_check;
ALTER TABLE match DROP CONSTRAINT match_seal_check;
ALTER TABLE match DROP CONSTRAINT match_rolls_check;
ALTER TABLE match DROP CONSTRAINT match_check;
ALTER TABLE match DROP CONSTRAINT match_check1;
ALTER TABLE match DROP CONSTRAINT match_check2;
ALTER TABLE match DROP CONSTRAINT match_state;
ALTER TABLE match DROP CONSTRAINT match_server;
ALTER TABLE match ADD CONSTRAINT match_sound CHECK (0 <= marked AND marked <= rolls AND rolls <= dice AND rolls <= events
    AND (server IS NULL OR state = 'finished'));
