-- Telling people: who wants to be told of what, what there is to tell, and to whom it is still to be told.

CREATE TABLE channel (
  -- Who is to be told of what, as the settings said when they were read last.
  name  TEXT NOT NULL,
  topic TEXT NOT NULL CHECK (topic IN ('published', 'cycle', 'warning')),
  PRIMARY KEY (name, topic)
) STRICT, WITHOUT ROWID;

CREATE TABLE notice (
  -- What became true and is not told to everybody yet; a notice goes with its last delivery. The order of the ids is the order in which
  -- things became true.
  id   INTEGER PRIMARY KEY,
  key  TEXT    NOT NULL UNIQUE, -- the same in every attempt: what a receiver knows a repeated one by
  at   INTEGER NOT NULL,
  body TEXT    NOT NULL         -- JSON
) STRICT;

CREATE TABLE delivery (
  -- A notice that is still to be told to that channel. It goes when it is delivered, or when nobody has set the channel any more.
  channel  TEXT    NOT NULL,
  notice   INTEGER NOT NULL REFERENCES notice (id) ON DELETE CASCADE,
  attempts INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0), -- that failed
  due      INTEGER NOT NULL,                                 -- not before
  error    TEXT    NOT NULL DEFAULT '',                      -- why the last attempt failed
  PRIMARY KEY (channel, notice)
) STRICT, WITHOUT ROWID;

CREATE INDEX delivery_of_notice ON delivery (notice);
