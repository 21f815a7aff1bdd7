CREATE TABLE consumer (
  -- Programs that load the files, each by the name that it gave itself: what it has loaded, and what it was offered.
  name            TEXT    NOT NULL PRIMARY KEY,
  created         INTEGER NOT NULL,
  asked           INTEGER NOT NULL,             -- when it asked last
  acknowledged    TEXT    NOT NULL DEFAULT '',  -- its last ticket; '' before the first
  acknowledged_at INTEGER,
  loaded          TEXT    NOT NULL DEFAULT '',  -- JSON: the position that this ticket stands for
  ticket          TEXT    NOT NULL DEFAULT '',  -- of the offer that waits for its word; '' where none does
  offered_at      INTEGER,                      -- since when the offer's files are kept
  offer           TEXT    NOT NULL DEFAULT ''   -- JSON
) STRICT, WITHOUT ROWID;

CREATE TABLE consumer_ticket (
  -- The number in the newest ticket of all consumers. It only grows, and begins by the clock, so that no ticket comes twice. One row, or none.
  id     INTEGER PRIMARY KEY CHECK (id = 1),
  newest INTEGER NOT NULL
) STRICT;
