-- What the service ever listed, the state of each held file, and the generation as a thing of its own: chains, gaps and joins are computed
-- from these, whatever the newest listing forgot and whatever was pruned.
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
) STRICT;

INSERT INTO mirror_state (id, session, generation, at)
  SELECT 1, '',
    max(coalesce((SELECT max(generation) FROM change), 0), coalesce((SELECT max(generation) FROM restored), 0)),
    coalesce((SELECT max(at) FROM change), (SELECT max(at) FROM restored), 0);
UPDATE mirror_state SET written = generation;

ALTER TABLE version ADD COLUMN since INTEGER NOT NULL DEFAULT 0 CHECK (since >= 0);
ALTER TABLE version ADD COLUMN condition TEXT NOT NULL DEFAULT 'whole' CHECK (condition IN ('whole', 'damaged', 'lost'));
CREATE INDEX change_of_version ON change (version);
UPDATE version SET since = coalesce((SELECT max(generation) FROM change WHERE change.version = version.id AND change.kind = 'published'), 0);
DROP INDEX change_of_version;

ALTER TABLE notice ADD COLUMN generation INTEGER NOT NULL DEFAULT 0 CHECK (generation >= 0);

INSERT INTO listed_file (name, kind, date, size, listed, standing, since, sha256)
  SELECT name, kind, date, size, 0, 'held', since, sha256 FROM version
  WHERE id = (SELECT max(id) FROM version AS newer WHERE newer.name = version.name);
INSERT INTO listed_file (name, kind, date, size, listed, standing)
  SELECT name, kind, date, size, 1, 'gap' FROM listed WHERE true
  ON CONFLICT (name) DO UPDATE SET kind = excluded.kind, date = excluded.date, size = excluded.size, listed = 1;
DROP TABLE listed;

-- Chains ask for the newest weeks of tables that hold years.
CREATE INDEX listed_file_by_date ON listed_file (kind, date, name);
CREATE INDEX listed_now ON listed_file (kind, date, name) WHERE listed = 1;
CREATE INDEX public_file ON version (kind, date, name) WHERE state = 'public';
CREATE INDEX bulk_version ON version (date) WHERE kind = 'bulk';
