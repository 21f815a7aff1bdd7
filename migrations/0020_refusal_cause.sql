-- Why a secret or a key is refused, as values; its text stays in refusal, and an older version stored no more than that.
ALTER TABLE credential ADD COLUMN refusal_cause  TEXT    NOT NULL DEFAULT '';
ALTER TABLE credential ADD COLUMN refusal_status INTEGER NOT NULL DEFAULT 0;
ALTER TABLE credential ADD COLUMN refusal_fields TEXT    NOT NULL DEFAULT '{}'; -- JSON

UPDATE credential SET refusal_cause = 'forbidden' WHERE refused_at IS NOT NULL;
