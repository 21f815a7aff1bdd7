CREATE TABLE store_connections (
  -- How many connections were found to be the best on the way to a store, and the bytes a second that they brought together.
  host        TEXT    NOT NULL PRIMARY KEY,
  connections INTEGER NOT NULL CHECK (connections > 0),
  rate        INTEGER NOT NULL CHECK (rate >= 0),
  at          INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
