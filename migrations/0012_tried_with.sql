-- What a cycle was tried with and when the service may be asked again, for the process after it: corrected settings are tried at once.
ALTER TABLE cycle ADD COLUMN settings TEXT NOT NULL DEFAULT ''; -- a fingerprint of them and of the credentials
ALTER TABLE cycle ADD COLUMN service TEXT NOT NULL DEFAULT ''; -- the addresses that were asked
ALTER TABLE cycle ADD COLUMN not_before INTEGER; -- the service asked for no request before then
