-- What is remembered of the client secret and of the API key: never the text, only a digest with a key that lies elsewhere.

CREATE TABLE credential (
  -- Every secret and key that was in use here, by its fingerprint.
  fingerprint    TEXT    NOT NULL PRIMARY KEY CHECK (fingerprint <> ''),
  first_seen     INTEGER NOT NULL,
  refused_at     INTEGER,                      -- since when the other side refuses it; NULL while it does not
  refusal        TEXT    NOT NULL DEFAULT '',  -- in the other side's words
  rotation_began INTEGER,                      -- when the daemon asked for its successor by itself: it does so once
  rotation_end   TEXT    NOT NULL DEFAULT ''   -- how that ended; '' when it was cut off
) STRICT, WITHOUT ROWID;

CREATE TABLE secret_warning (
  -- The warnings that were given before a secret's expiry: once each for a secret and the day on which it was said to expire.
  fingerprint TEXT    NOT NULL REFERENCES credential (fingerprint),
  expires_on  TEXT    NOT NULL CHECK (date(expires_on, '+0 days') IS expires_on),
  days        INTEGER NOT NULL CHECK (days >= 0),
  at          INTEGER NOT NULL,
  PRIMARY KEY (fingerprint, expires_on, days)
) STRICT, WITHOUT ROWID;
