-- The entry of a subject, and its leaf; NULL: no checkpoint covers it yet.
-- Parameters: $1 kind text, $2 subject_id bigint
-- Result: chain text, position bigint, kind text, subject_id bigint, supersedes bigint,
--     content_version integer, content_sha256 bytea, previous_sha256 bytea,
--     recorded_at timestamptz, entry_sha256 bytea, recorded_by text, on_behalf_of text, leaf bigint
SELECT e.chain, e.position, e.kind, e.subject_id, e.supersedes, e.content_version,
       e.content_sha256, e.previous_sha256, e.recorded_at, e.entry_sha256, e.recorded_by,
       e.on_behalf_of,
       (SELECT r.first_leaf + e.position - r.first_position FROM tree_ranges r
        WHERE r.chain = e.chain AND r.first_position <= e.position
          AND r.last_position >= e.position)
FROM entries e WHERE e.kind = $1 AND e.subject_id = $2;
