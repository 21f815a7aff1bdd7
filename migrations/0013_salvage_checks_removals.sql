CREATE TABLE salvage (
  -- The damaged catalogue from which this one got what could be read of it. One row, or none.
  id     INTEGER PRIMARY KEY CHECK (id = 1),
  source TEXT    NOT NULL,
  at     INTEGER NOT NULL
) STRICT;

CREATE TABLE begun_check (
  -- Files whose check has begun and not ended. More beginnings than one: the process died in the check.
  name  TEXT    NOT NULL PRIMARY KEY,
  size  INTEGER NOT NULL CHECK (size >= 0),
  times INTEGER NOT NULL CHECK (times > 0),
  at    INTEGER NOT NULL -- of the newest beginning
) STRICT, WITHOUT ROWID;

CREATE TABLE leaving (
  -- Files that are no longer public by this catalogue, and may still be on disk.
  name TEXT NOT NULL PRIMARY KEY
) STRICT, WITHOUT ROWID;

ALTER TABLE quarantine ADD COLUMN fields TEXT NOT NULL DEFAULT '{}'; -- JSON
