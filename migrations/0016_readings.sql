-- When all bytes of this version were last read and were right. Its publication counts.
ALTER TABLE version ADD COLUMN read_at INTEGER NOT NULL DEFAULT 0;
UPDATE version SET read_at = published_at;

CREATE TABLE damage (
  -- What was found when a public file was read again; deleted when the file is whole again, or no longer public.
  name   TEXT    NOT NULL PRIMARY KEY,
  at     INTEGER NOT NULL,
  cause  TEXT    NOT NULL DEFAULT '',
  detail TEXT    NOT NULL DEFAULT '',
  status INTEGER NOT NULL DEFAULT 0,
  fields TEXT    NOT NULL DEFAULT '{}' -- JSON
) STRICT, WITHOUT ROWID;
