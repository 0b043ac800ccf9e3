-- Appends an entry to its chain; recorded_us counts from 1970.
-- Parameters: $1 chain text, $2 position bigint, $3 kind text, $4 subject_id bigint,
--     $5 supersedes bigint, $6 content_version integer, $7 content_sha256 bytea,
--     $8 previous_sha256 bytea, $9 recorded_us bigint, $10 entry_sha256 bytea
-- Result: none
INSERT INTO entries (chain, position, kind, subject_id, supersedes, content_version,
                     content_sha256, previous_sha256, recorded_at, entry_sha256)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8,
        timestamptz '1970-01-01 00:00:00+00' + $9::bigint * interval '1 microsecond', $10);
