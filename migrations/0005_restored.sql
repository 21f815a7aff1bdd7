CREATE TABLE restored (
  -- Where this catalogue was made for a mirror that was there: the generation that its manifest had, from which it goes on. One row, or none.
  id         INTEGER PRIMARY KEY CHECK (id = 1),
  generation INTEGER NOT NULL CHECK (generation > 0),
  at         INTEGER NOT NULL
) STRICT;
