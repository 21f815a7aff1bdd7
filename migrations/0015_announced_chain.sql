-- The chain of which the channels were notified last, and the topic of these notices.
ALTER TABLE channel RENAME TO channel_before;

CREATE TABLE channel (
  -- The topics that each channel subscribes to, as of the settings that were read last.
  name  TEXT NOT NULL,
  topic TEXT NOT NULL CHECK (topic IN ('chain', 'published', 'cycle', 'warning')),
  PRIMARY KEY (name, topic)
) STRICT, WITHOUT ROWID;

INSERT INTO channel (name, topic) SELECT name, topic FROM channel_before;
DROP TABLE channel_before;

-- What the manifest said then, without its stamps; '' before the first such notice.
ALTER TABLE mirror_state ADD COLUMN announced TEXT NOT NULL DEFAULT '';

CREATE TABLE announced_file (
  -- The files of that chain.
  name   TEXT    NOT NULL PRIMARY KEY,
  kind   TEXT    NOT NULL CHECK (kind IN ('bulk', 'delta')),
  date   TEXT    NOT NULL CHECK (date(date, '+0 days') IS date),
  size   INTEGER NOT NULL CHECK (size >= 0),
  sha256 TEXT    NOT NULL,
  since  INTEGER NOT NULL CHECK (since >= 0)
) STRICT, WITHOUT ROWID;

-- Consumers of an older version know what is held.
UPDATE mirror_state SET announced = content;
INSERT INTO announced_file (name, kind, date, size, sha256, since)
  SELECT name, kind, date, size, sha256, since FROM version
  WHERE state = 'public' AND condition = 'whole' AND date >=
    (SELECT max(date) FROM version WHERE state = 'public' AND condition = 'whole' AND kind = 'bulk');
