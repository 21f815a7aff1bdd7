-- Whether a file that lies in the mirror was let go is asked for each one at every start.
CREATE INDEX version_of_name ON version (name, id);
