-- The schema after all migrations, for reading. Made by catalogue_test with VTMIRROR_RENEW_SCHEMA=1; do not edit.

CREATE TABLE listing (
  -- When the service was last asked what it has, and answered. One row, or none before the first answer.
  id INTEGER PRIMARY KEY CHECK (id = 1),
  at INTEGER NOT NULL
) STRICT;

CREATE TABLE absent_day (
  -- Days without a delta upstream, as the last listing told that covered the day: after the roll-over nobody else can say
  -- whether a hole in the old chain is ours.
  date TEXT NOT NULL PRIMARY KEY CHECK (date(date, '+0 days') IS date)
) STRICT, WITHOUT ROWID;

CREATE TABLE version (
  -- Every version of every file that ever was public. What is public now has the state 'public'; no row is ever removed.
  id           INTEGER PRIMARY KEY,
  state        TEXT    NOT NULL CHECK (state IN ('public', 'superseded', 'removed')),
  kind         TEXT    NOT NULL CHECK (kind IN ('bulk', 'delta')),
  name         TEXT    NOT NULL,
  date         TEXT    NOT NULL CHECK (date(date, '+0 days') IS date),
  size         INTEGER NOT NULL CHECK (size >= 0),
  sha256       TEXT    NOT NULL, -- '' where no digest was made
  etag         TEXT    NOT NULL, -- '' where the store told none
  published_at INTEGER NOT NULL
, since INTEGER NOT NULL DEFAULT 0 CHECK (since >= 0), condition TEXT NOT NULL DEFAULT 'whole' CHECK (condition IN ('whole', 'damaged', 'lost')), probed_at INTEGER NOT NULL DEFAULT 0, read_at INTEGER NOT NULL DEFAULT 0) STRICT;

CREATE UNIQUE INDEX public_version ON version (name) WHERE state = 'public';

CREATE TABLE change (
  -- What happened to the public files, by generation. The generation of the mirror is the highest one here, or 0. A file that replaces
  -- another makes two changes in one generation: the old version's end comes first, since its id is the lower one.
  generation INTEGER NOT NULL CHECK (generation > 0),
  version    INTEGER NOT NULL REFERENCES version (id),
  kind       TEXT    NOT NULL CHECK (kind IN ('published', 'superseded', 'removed')),
  at         INTEGER NOT NULL,
  PRIMARY KEY (generation, version)
) STRICT, WITHOUT ROWID;

CREATE TABLE partial (
  -- Unfinished files: of which object their bytes are.
  id       INTEGER PRIMARY KEY,
  name     TEXT    NOT NULL UNIQUE,
  kind     TEXT    NOT NULL CHECK (kind IN ('bulk', 'delta')),
  date     TEXT    NOT NULL CHECK (date(date, '+0 days') IS date),
  size     INTEGER NOT NULL CHECK (size >= 0),
  etag     TEXT    NOT NULL, -- '' until the store told it
  verified INTEGER NOT NULL CHECK (verified IN (0, 1)), -- every byte is checked: rename and publication are left
  sha256   TEXT    NOT NULL
) STRICT;

CREATE TABLE partial_range (
  -- The watermark: bytes [starts, ends) of a partial that were synced to disk before this row was written.
  partial INTEGER NOT NULL REFERENCES partial (id) ON DELETE CASCADE,
  starts  INTEGER NOT NULL CHECK (starts >= 0),
  ends    INTEGER NOT NULL CHECK (ends > starts),
  PRIMARY KEY (partial, starts)
) STRICT, WITHOUT ROWID;

CREATE TABLE key_use (
  -- When the service last accepted the API key, which it revokes when it is not used. One row, or none before the first use.
  id INTEGER PRIMARY KEY CHECK (id = 1),
  at INTEGER NOT NULL
) STRICT;

CREATE TABLE credential (
  -- Every secret and key that was in use here, by its fingerprint.
  fingerprint    TEXT    NOT NULL PRIMARY KEY CHECK (fingerprint <> ''),
  first_seen     INTEGER NOT NULL,
  refused_at     INTEGER,                      -- since when the other side refuses it; NULL while it does not
  refusal        TEXT    NOT NULL DEFAULT '',  -- in the other side's words
  rotation_began INTEGER,                      -- when the daemon asked for its successor by itself: it does so once
  rotation_end   TEXT    NOT NULL DEFAULT ''   -- how that ended; '' when it was cut off
, rotation_cause   TEXT    NOT NULL DEFAULT '', rotation_detail  TEXT    NOT NULL DEFAULT '', rotation_status  INTEGER NOT NULL DEFAULT 0, rotation_subject TEXT    NOT NULL DEFAULT '', rotation_fields  TEXT    NOT NULL DEFAULT '{}', refusal_cause  TEXT    NOT NULL DEFAULT '', refusal_status INTEGER NOT NULL DEFAULT 0, refusal_fields TEXT    NOT NULL DEFAULT '{}') STRICT, WITHOUT ROWID;

CREATE TABLE secret_warning (
  -- The warnings that were given before a secret's expiry: once each for a secret and the day on which it was said to expire.
  fingerprint TEXT    NOT NULL REFERENCES credential (fingerprint),
  expires_on  TEXT    NOT NULL CHECK (date(expires_on, '+0 days') IS expires_on),
  days        INTEGER NOT NULL CHECK (days >= 0),
  at          INTEGER NOT NULL,
  PRIMARY KEY (fingerprint, expires_on, days)
) STRICT, WITHOUT ROWID;

CREATE TABLE restored (
  -- Where this catalogue was made for a mirror that was there: the generation that its manifest had, from which it goes on. One row, or none.
  id         INTEGER PRIMARY KEY CHECK (id = 1),
  generation INTEGER NOT NULL CHECK (generation > 0),
  at         INTEGER NOT NULL
) STRICT;

CREATE INDEX version_of_name ON version (name, id);

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
, generation INTEGER NOT NULL DEFAULT 0 CHECK (generation >= 0)) STRICT;

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
  fields   TEXT    NOT NULL DEFAULT '{}', settings TEXT NOT NULL DEFAULT '', service TEXT NOT NULL DEFAULT '', not_before INTEGER, -- JSON
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
, left_at INTEGER, fields TEXT NOT NULL DEFAULT '{}') STRICT, WITHOUT ROWID;

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

CREATE INDEX delivery_of_notice ON delivery (notice);

CREATE TABLE listed_file (
  -- Every file that the service ever listed, by its newest entry.
  name     TEXT    NOT NULL PRIMARY KEY,
  kind     TEXT    NOT NULL CHECK (kind IN ('bulk', 'delta')),
  date     TEXT    NOT NULL CHECK (date(date, '+0 days') IS date),
  size     INTEGER NOT NULL CHECK (size >= 0),               -- of the newest entry that could be read; 0 where none could
  listed   INTEGER NOT NULL CHECK (listed IN (0, 1)),        -- in the newest listing
  refused  TEXT    NOT NULL DEFAULT '',                      -- why the newest entry was refused
  changed  INTEGER NOT NULL DEFAULT 0 CHECK (changed IN (0, 1)), -- the store has other bytes of the same size and date
  standing TEXT    NOT NULL CHECK (standing IN ('held', 'gap', 'refused', 'replaced', 'lost')),
  since    INTEGER NOT NULL DEFAULT 0 CHECK (since >= 0),    -- generation of the newest edition that was ever held
  sha256   TEXT    NOT NULL DEFAULT ''                       -- of that edition
) STRICT, WITHOUT ROWID;

CREATE TABLE undated_entry (
  -- Entries of the newest listing that were refused and name no day.
  position INTEGER PRIMARY KEY,
  kind     TEXT    NOT NULL CHECK (kind IN ('bulk', 'delta')),
  name     TEXT    NOT NULL,
  why      TEXT    NOT NULL
) STRICT;

CREATE TABLE unfit (
  -- Listed files for which the disk has no room, as of the newest plan.
  name    TEXT    NOT NULL PRIMARY KEY,
  needed  INTEGER NOT NULL,
  free    INTEGER NOT NULL,
  reserve INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE mirror_state (
  -- What the manifest says of itself. One row. A session is what generations can be compared within.
  id         INTEGER PRIMARY KEY CHECK (id = 1),
  session    TEXT    NOT NULL,           -- '' until the first write
  generation INTEGER NOT NULL CHECK (generation >= 0),
  at         INTEGER NOT NULL,           -- of that generation
  content    TEXT    NOT NULL DEFAULT '',  -- what it says, without its stamps
  settled    INTEGER NOT NULL DEFAULT 0, -- the generation that `content` belongs to
  written    INTEGER NOT NULL DEFAULT 0  -- the generation that is on the shelf: notices of later ones wait
, announced TEXT NOT NULL DEFAULT '') STRICT;

CREATE INDEX listed_file_by_date ON listed_file (kind, date, name);

CREATE INDEX listed_now ON listed_file (kind, date, name) WHERE listed = 1;

CREATE INDEX public_file ON version (kind, date, name) WHERE state = 'public';

CREATE INDEX bulk_version ON version (date) WHERE kind = 'bulk';

CREATE TABLE salvage (
  -- The damaged catalogue from which this one got what could be read of it. One row, or none.
  id     INTEGER PRIMARY KEY CHECK (id = 1),
  source TEXT    NOT NULL,
  at     INTEGER NOT NULL
) STRICT;

CREATE TABLE begun_check (
  -- Files whose check has begun and not ended. More beginnings than one: the process died in the check.
  name  TEXT    NOT NULL PRIMARY KEY,
  size  INTEGER NOT NULL CHECK (size >= 0),
  times INTEGER NOT NULL CHECK (times > 0),
  at    INTEGER NOT NULL -- of the newest beginning
) STRICT, WITHOUT ROWID;

CREATE TABLE leaving (
  -- Files that are no longer public by this catalogue, and may still be on disk.
  name TEXT NOT NULL PRIMARY KEY
) STRICT, WITHOUT ROWID;

CREATE TABLE store_connections (
  -- How many connections were found to be the best on the way to a store, and the bytes a second that they brought together.
  host        TEXT    NOT NULL PRIMARY KEY,
  connections INTEGER NOT NULL CHECK (connections > 0),
  rate        INTEGER NOT NULL CHECK (rate >= 0),
  at          INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE channel (
  -- The topics that each channel subscribes to, as of the settings that were read last.
  name  TEXT NOT NULL,
  topic TEXT NOT NULL CHECK (topic IN ('chain', 'published', 'cycle', 'warning')),
  PRIMARY KEY (name, topic)
) STRICT, WITHOUT ROWID;

CREATE TABLE announced_file (
  -- The files of that chain.
  name   TEXT    NOT NULL PRIMARY KEY,
  kind   TEXT    NOT NULL CHECK (kind IN ('bulk', 'delta')),
  date   TEXT    NOT NULL CHECK (date(date, '+0 days') IS date),
  size   INTEGER NOT NULL CHECK (size >= 0),
  sha256 TEXT    NOT NULL,
  since  INTEGER NOT NULL CHECK (since >= 0)
) STRICT, WITHOUT ROWID;

CREATE TABLE damage (
  -- What was found when a public file was read again; deleted when the file is whole again, or no longer public.
  name   TEXT    NOT NULL PRIMARY KEY,
  at     INTEGER NOT NULL,
  cause  TEXT    NOT NULL DEFAULT '',
  detail TEXT    NOT NULL DEFAULT '',
  status INTEGER NOT NULL DEFAULT 0,
  fields TEXT    NOT NULL DEFAULT '{}' -- JSON
) STRICT, WITHOUT ROWID;

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
, kept_up INTEGER NOT NULL DEFAULT 0) STRICT, WITHOUT ROWID;

CREATE TABLE consumer_ticket (
  -- The number in the newest ticket of all consumers. It only grows, and begins by the clock, so that no ticket comes twice. One row, or none.
  id     INTEGER PRIMARY KEY CHECK (id = 1),
  newest INTEGER NOT NULL
) STRICT;

CREATE TABLE clock (
  id       INTEGER PRIMARY KEY CHECK (id = 1), -- one row, and none before the first time
  right_at INTEGER NOT NULL
) STRICT;

