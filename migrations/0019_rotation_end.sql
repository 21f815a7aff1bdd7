-- How the daemon's own rotation of the secret ended, as values: rotation_end is a name, or the sentence of an older version.
ALTER TABLE credential ADD COLUMN rotation_cause   TEXT    NOT NULL DEFAULT '';
ALTER TABLE credential ADD COLUMN rotation_detail  TEXT    NOT NULL DEFAULT '';
ALTER TABLE credential ADD COLUMN rotation_status  INTEGER NOT NULL DEFAULT 0;
ALTER TABLE credential ADD COLUMN rotation_subject TEXT    NOT NULL DEFAULT '';
ALTER TABLE credential ADD COLUMN rotation_fields  TEXT    NOT NULL DEFAULT '{}'; -- JSON
