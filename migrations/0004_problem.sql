CREATE TABLE problem (
  -- What is wrong now. What is here was told when it began, and goes when it is told that it is over.
  code    TEXT    NOT NULL PRIMARY KEY,
  since   INTEGER NOT NULL,
  message TEXT    NOT NULL,
  files   INTEGER NOT NULL CHECK (files > 0) -- the most that it was about: more than that is told again
) STRICT, WITHOUT ROWID;

CREATE TABLE failure (
  -- What the last cycle that came so far could not do; replaced by each.
  position INTEGER PRIMARY KEY,
  kind     TEXT    NOT NULL CHECK (kind IN ('refused_entry', 'lost', 'no_space', 'damaged', 'other')),
  name     TEXT    NOT NULL, -- '' where it is about no file
  reason   TEXT    NOT NULL
) STRICT;
