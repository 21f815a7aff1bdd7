-- When a consumer last had all that it could load: from then on it can be behind.
ALTER TABLE consumer ADD COLUMN kept_up INTEGER NOT NULL DEFAULT 0;

UPDATE consumer
SET kept_up = CASE WHEN ticket = '' AND (acknowledged_at IS NULL OR asked > acknowledged_at) THEN asked ELSE created END;
