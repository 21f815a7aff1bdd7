-- When the store was last asked whether it still has the bytes of this version. Its download counts.
ALTER TABLE version ADD COLUMN probed_at INTEGER NOT NULL DEFAULT 0;
