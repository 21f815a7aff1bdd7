-- When the file left the listing: it is kept for mirror.quarantine from then on. Null while it is listed.
ALTER TABLE quarantine ADD COLUMN left_at INTEGER;
