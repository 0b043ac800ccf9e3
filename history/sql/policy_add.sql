-- A policy, kept once.
-- Parameters: $1 sha256 text, $2 document text
-- Result: id bigint
INSERT INTO policies (sha256, document) VALUES (decode($1, 'hex'), $2)
ON CONFLICT (sha256) DO NOTHING
RETURNING id;
