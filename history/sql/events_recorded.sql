-- The words that count for profiles: the content hash of each one's entry, where it came from
-- (nowhere: an import says them anew), then its content as content_event.sql has it.
-- Plan: once
-- Parameters: $1 profile_ids bigint[]
-- Result: id bigint, of_profile bigint, content_sha256 bytea, origin_id bigint,
--     origin_at timestamptz, origin_by text, content_id bigint, profile_id bigint, branch text,
--     commit_sha text, label text, recorded_at timestamptz, recorded_by text
SELECT v.id, v.profile_id,
       (SELECT e.content_sha256 FROM entries e WHERE e.kind = 'event' AND e.subject_id = v.id),
       NULL::bigint, NULL::timestamptz, NULL::text,
       v.id, v.profile_id, v.branch, v.commit_sha, v.label, v.recorded_at, v.recorded_by
FROM profile_events v
WHERE v.profile_id = ANY ($1::bigint[])
  AND NOT EXISTS (SELECT FROM amendments a
                  WHERE a.profile_id = v.profile_id
                    AND (v.branch IS NULL OR a.branch_after >= v.id)
                    AND (v.commit_sha IS NULL OR a.commit_after >= v.id)
                    AND (v.label IS NULL OR a.label_after >= v.id));
