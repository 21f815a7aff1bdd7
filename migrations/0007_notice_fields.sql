-- What decides about a notice has columns of its own, so that no query looks into its JSON. Both tables are made anew, since a table
-- that another one refers to cannot be replaced alone.
ALTER TABLE notice RENAME TO notice_before;
ALTER TABLE delivery RENAME TO delivery_before;

CREATE TABLE notice (
  -- An event that is not sent to every channel yet; a notice is deleted with its last delivery. The order of the ids is the order in which
  -- the events happened.
  id    INTEGER PRIMARY KEY,
  key   TEXT    NOT NULL UNIQUE, -- the same in every attempt: by it a receiver recognises a repeated one
  at    INTEGER NOT NULL,
  topic TEXT    NOT NULL,
  code  TEXT    NOT NULL,
  stage TEXT    NOT NULL CHECK (stage IN ('single', 'began', 'over')),
  body  TEXT    NOT NULL         -- JSON, all of it
) STRICT;

INSERT INTO notice (id, key, at, topic, code, stage, body)
  SELECT id, key, at, coalesce(body ->> 'event', ''), coalesce(body ->> 'code', ''),
         CASE WHEN body ->> 'stage' IN ('began', 'over') THEN body ->> 'stage' ELSE 'single' END, body
  FROM notice_before;

CREATE TABLE delivery (
  -- A notice that is still to be sent to that channel. It is deleted when it is delivered, or when the channel is no longer in the settings.
  channel  TEXT    NOT NULL,
  notice   INTEGER NOT NULL REFERENCES notice (id) ON DELETE CASCADE,
  attempts INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0), -- that failed
  due      INTEGER NOT NULL,                                 -- not before
  error    TEXT    NOT NULL DEFAULT '',                      -- why the last attempt failed
  PRIMARY KEY (channel, notice)
) STRICT, WITHOUT ROWID;

INSERT INTO delivery (channel, notice, attempts, due, error)
  SELECT channel, notice, attempts, due, error FROM delivery_before;

DROP TABLE delivery_before;
DROP TABLE notice_before;
CREATE INDEX delivery_of_notice ON delivery (notice);
