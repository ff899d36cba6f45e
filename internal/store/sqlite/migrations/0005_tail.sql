-- The latest events and answers of each match that goes on, until they move to the
-- tables of events and answers together (tail.go).
CREATE TABLE tail (
    number INTEGER PRIMARY KEY,
    match  BLOB NOT NULL UNIQUE REFERENCES match,
    body   BLOB NOT NULL
) STRICT;
