-- Why something failed, in parts instead of a finished sentence, in each table that says so:
-- cause    the code of the error behind it, as errors are named ('timed_out'); '' where there is none
-- detail   the words that came with it, without code and subject
-- status   that of HTTP; 0 where there was none
-- subject  the file, address, setting, channel or day that it is about; '' where it is about none
-- fields   a JSON object of what else a sentence needs
-- Sentences of older versions are read here, once. They began with the code, after the name of the file where they were about one.
ALTER TABLE cycle RENAME TO cycle_before;
ALTER TABLE problem RENAME TO problem_before;
ALTER TABLE quarantine RENAME TO quarantine_before;
ALTER TABLE failure RENAME TO failure_before;
ALTER TABLE delivery RENAME TO delivery_before;

CREATE TABLE cycle (
  -- Every cycle that was begun. One that was cut (a kill, a power cut) never gets an end.
  id       INTEGER PRIMARY KEY,
  started  INTEGER NOT NULL,
  finished INTEGER,
  outcome  TEXT    CHECK (outcome IN ('complete', 'partial', 'failed')),
  files    INTEGER NOT NULL DEFAULT 0 CHECK (files >= 0),
  bytes    INTEGER NOT NULL DEFAULT 0 CHECK (bytes >= 0),
  -- The first thing that it could not do: all of this is empty where it was complete.
  kind     TEXT    NOT NULL DEFAULT 'other'
    CHECK (kind IN ('refused_entry', 'lost', 'no_space', 'damaged', 'quarantined', 'other')),
  cause    TEXT    NOT NULL DEFAULT '',
  detail   TEXT    NOT NULL DEFAULT '',
  status   INTEGER NOT NULL DEFAULT 0,
  subject  TEXT    NOT NULL DEFAULT '',
  fields   TEXT    NOT NULL DEFAULT '{}', -- JSON
  CHECK ((finished IS NULL) = (outcome IS NULL))
) STRICT;

CREATE TABLE problem (
  -- What is wrong now. What is here was reported when it began, and is deleted when its end is reported.
  code    TEXT    NOT NULL PRIMARY KEY,
  since   INTEGER NOT NULL,
  files   INTEGER NOT NULL CHECK (files > 0), -- the most that it was about: more than that is reported again
  cause   TEXT    NOT NULL DEFAULT '',
  detail  TEXT    NOT NULL DEFAULT '',
  status  INTEGER NOT NULL DEFAULT 0,
  subject TEXT    NOT NULL DEFAULT '',
  fields  TEXT    NOT NULL DEFAULT '{}' -- JSON
) STRICT, WITHOUT ROWID;

CREATE TABLE quarantine (
  -- Refused files that lie in the quarantine, and why they were refused.
  name   TEXT    NOT NULL PRIMARY KEY,
  size   INTEGER NOT NULL CHECK (size >= 0),
  at     INTEGER NOT NULL,
  cause  TEXT    NOT NULL DEFAULT '',
  detail TEXT    NOT NULL DEFAULT '',
  status INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE TABLE failure (
  -- What the last cycle that came so far could not do; replaced by each.
  position INTEGER PRIMARY KEY,
  kind     TEXT    NOT NULL CHECK (kind IN ('refused_entry', 'lost', 'no_space', 'damaged', 'quarantined', 'other')),
  cause    TEXT    NOT NULL DEFAULT '',
  detail   TEXT    NOT NULL DEFAULT '',
  status   INTEGER NOT NULL DEFAULT 0,
  subject  TEXT    NOT NULL DEFAULT '',  -- the file or entry; '' where it is about none
  fields   TEXT    NOT NULL DEFAULT '{}' -- JSON
) STRICT;

CREATE TABLE delivery (
  -- A notice that is still to be sent to that channel. It is deleted when it is delivered, or when the channel is no longer in the settings.
  channel  TEXT    NOT NULL,
  notice   INTEGER NOT NULL REFERENCES notice (id) ON DELETE CASCADE,
  attempts INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0), -- that failed
  due      INTEGER NOT NULL,                                 -- not before
  -- Why the last attempt failed.
  cause    TEXT    NOT NULL DEFAULT '',
  detail   TEXT    NOT NULL DEFAULT '',
  status   INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (channel, notice)
) STRICT, WITHOUT ROWID;

INSERT INTO cycle (id, started, finished, outcome, files, bytes, detail)
  SELECT id, started, finished, outcome, files, bytes, error FROM cycle_before;
INSERT INTO problem (code, since, files, detail) SELECT code, since, files, message FROM problem_before;
INSERT INTO quarantine (name, size, at, detail) SELECT name, size, at, reason FROM quarantine_before;
INSERT INTO failure (position, kind, subject, detail) SELECT position, kind, name, reason FROM failure_before;
INSERT INTO delivery (channel, notice, attempts, due, detail) SELECT channel, notice, attempts, due, error FROM delivery_before;

DROP TABLE cycle_before;
DROP TABLE problem_before;
DROP TABLE quarantine_before;
DROP TABLE failure_before;
DROP TABLE delivery_before;
CREATE INDEX delivery_of_notice ON delivery (notice);

UPDATE cycle SET cause = 'cancelled', detail = '' WHERE detail = 'stopped before its end; the next one goes on from here';
UPDATE cycle SET kind = 'quarantined', subject = substr(detail, 1, instr(detail, ' is in the quarantine until tomorrow: ') - 1),
    detail = substr(detail, instr(detail, ' is in the quarantine until tomorrow: ') + 38)
  WHERE instr(detail, ' is in the quarantine until tomorrow: ') > 0;

CREATE TABLE error_code (word TEXT NOT NULL PRIMARY KEY) STRICT;
INSERT INTO error_code (word) VALUES
  ('cancelled'), ('timed_out'), ('unreachable'), ('tls'), ('http_status'), ('protocol'), ('unauthorised'), ('forbidden'),
  ('rate_limited'), ('link_refused'), ('changed_upstream'), ('integrity'), ('no_space'), ('io'), ('catalogue'), ('config'), ('locked');

-- "timed_out: no byte from store.example"
UPDATE cycle SET cause = word, detail = substr(detail, length(word) + 3) FROM error_code
  WHERE cause = '' AND (detail = word OR substr(detail, 1, length(word) + 2) = word || ': ');
UPDATE problem SET cause = word, detail = substr(detail, length(word) + 3) FROM error_code
  WHERE cause = '' AND (detail = word OR substr(detail, 1, length(word) + 2) = word || ': ');
UPDATE quarantine SET cause = word, detail = substr(detail, length(word) + 3) FROM error_code
  WHERE cause = '' AND (detail = word OR substr(detail, 1, length(word) + 2) = word || ': ');
UPDATE failure SET cause = word, detail = substr(detail, length(word) + 3) FROM error_code
  WHERE cause = '' AND (detail = word OR substr(detail, 1, length(word) + 2) = word || ': ');
UPDATE delivery SET cause = word, detail = substr(detail, length(word) + 3) FROM error_code
  WHERE cause = '' AND (detail = word OR substr(detail, 1, length(word) + 2) = word || ': ');

-- "v1/a.zip: timed_out: no byte from store.example": a file's name has no space in it, so that nothing else is taken for one.
UPDATE cycle SET cause = word, subject = substr(detail, 1, instr(detail, ': ') - 1),
    detail = substr(detail, instr(detail, ': ') + length(word) + 4) FROM error_code
  WHERE cause = '' AND subject = '' AND instr(detail, ': ') > 1 AND instr(detail || ': ', ': ' || word || ': ') = instr(detail, ': ')
    AND instr(substr(detail, 1, instr(detail, ': ') - 1), ' ') = 0;
UPDATE problem SET cause = word, subject = substr(detail, 1, instr(detail, ': ') - 1),
    detail = substr(detail, instr(detail, ': ') + length(word) + 4) FROM error_code
  WHERE cause = '' AND subject = '' AND instr(detail, ': ') > 1 AND instr(detail || ': ', ': ' || word || ': ') = instr(detail, ': ')
    AND instr(substr(detail, 1, instr(detail, ': ') - 1), ' ') = 0;

DROP TABLE error_code;
