-- When this machine's clock was found right last. A question that comes by a clock that is behind counts from then.
CREATE TABLE clock (
  id       INTEGER PRIMARY KEY CHECK (id = 1), -- one row, and none before the first time
  right_at INTEGER NOT NULL
) STRICT;
