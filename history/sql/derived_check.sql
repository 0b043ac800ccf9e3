-- What no entry holds because it is derived, and is not what it must be: ids and hashes, the days
-- of profiles and months, times and authors of rows (those of their entries, which were written in
-- the same transaction; a row of before got its entry from `migrate`), ranges of leaves without
-- gaps, words about where something came from that belong to nothing, messages in the outbox that
-- are not those of their verdicts, and counters of ids that were set back, or far ahead.
-- Parameters: $1 kinds_with_origin text[]
-- Result: what text
SELECT 'op signature ' || o.id FROM op_signatures o
WHERE substring(sha256(convert_to(o.signature, 'UTF8')) FOR 16) <> uuid_send(o.id)
   OR o.introduced_by IS NULL
UNION ALL
SELECT 'the hash of policy y' || p.id FROM policies p
WHERE sha256(convert_to(p.document, 'UTF8')) <> p.sha256
UNION ALL
SELECT 'the hash of record t' || t.id FROM track_records t
WHERE sha256(convert_to(t.document, 'UTF8')) <> t.document_sha256
UNION ALL
SELECT 'the day of p' || p.id FROM profiles p
WHERE p.recorded_on <> (p.recorded_at AT TIME ZONE 'UTC')::date
UNION ALL
SELECT 'the time or the author of ' || r.kind || ' ' || r.id
FROM (SELECT 'profile' AS kind, id, recorded_at, recorded_by FROM profiles UNION ALL
          SELECT 'event', id, recorded_at, recorded_by FROM profile_events UNION ALL
          SELECT 'verdict', id, recorded_at, recorded_by FROM verdicts UNION ALL
          SELECT 'acceptance', id, recorded_at, recorded_by FROM acceptances UNION ALL
          SELECT 'rebaseline', id, recorded_at, recorded_by FROM rebaselines UNION ALL
          SELECT 'alert', id, recorded_at, recorded_by FROM alert_events UNION ALL
          SELECT 'track', id, recorded_at, recorded_by FROM track_records UNION ALL
          SELECT 'checkpoint', id, recorded_at, recorded_by FROM checkpoints UNION ALL
          SELECT 'change_point', id, recorded_at, recorded_by FROM change_points UNION ALL
          SELECT 'amendment', id, recorded_at, recorded_by FROM amendments UNION ALL
          SELECT 'archive', id, recorded_at, recorded_by FROM archives UNION ALL
          SELECT 'policy', id, recorded_at, recorded_by FROM policies UNION ALL
          SELECT 'silence', id, recorded_at, recorded_by FROM silences UNION ALL
          SELECT 'report', id, recorded_at, recorded_by FROM reports UNION ALL
          SELECT 'delivery', id, recorded_at, NULL FROM deliveries UNION ALL
          SELECT 'project', id, recorded_at, NULL FROM projects UNION ALL
          SELECT 'series', id, recorded_at, NULL FROM series) AS r
JOIN entries e ON e.kind = r.kind AND e.subject_id = r.id
WHERE (r.recorded_at NOT BETWEEN e.recorded_at - interval '1 hour'
                             AND e.recorded_at + interval '5 minutes'
       OR r.recorded_by <> e.recorded_by)
  AND NOT EXISTS (SELECT FROM schema_migrations m
                  WHERE r.recorded_at <= m.applied_at + interval '5 minutes'
                    AND e.recorded_at BETWEEN m.applied_at - interval '5 minutes'
                                          AND m.applied_at + interval '1 day')
UNION ALL
SELECT 'the month of x' || x.id FROM archives x WHERE extract(day FROM x.month) <> 1
UNION ALL
SELECT 'the range of leaves from ' || r.first_leaf
FROM (SELECT t.*, lag(t.first_leaf + t.last_position - t.first_position + 1, 1, 0::bigint)
                      OVER (ORDER BY t.first_leaf) AS next_leaf
      FROM tree_ranges t) AS r
WHERE r.first_leaf <> r.next_leaf
   OR NOT EXISTS (SELECT FROM entries e WHERE e.chain = r.chain AND e.position = r.last_position)
UNION ALL
SELECT 'the origin of ' || o.kind || ' ' || o.subject_id FROM origins o
WHERE o.kind <> ALL ($1::text[])
   OR NOT EXISTS (SELECT FROM entries e WHERE e.kind = o.kind AND e.subject_id = o.subject_id)
UNION ALL
SELECT 'the text of message ' || o.id || ' about v' || o.verdict_id || ' in the outbox'
FROM outbox o
JOIN destinations d ON d.id = o.destination_id
JOIN verdict_messages m ON m.verdict_id = o.verdict_id AND m.destination = d.name
                       AND m.dedupe_key = o.dedupe_key
WHERE (m.body_sha256, m.order_key, m.content_type)
      IS DISTINCT FROM (sha256(o.body), o.order_key, o.content_type)
UNION ALL
SELECT 'where the counter of ' || t.name || ' stands'
FROM (SELECT 'projects' AS name, max(id) AS last_id FROM projects UNION ALL
      SELECT 'series', max(id) FROM series UNION ALL
      SELECT 'profiles', max(id) FROM profiles UNION ALL
      SELECT 'profile_events', max(id) FROM profile_events UNION ALL
      SELECT 'verdicts', max(id) FROM verdicts UNION ALL
      SELECT 'deliveries', max(id) FROM deliveries UNION ALL
      SELECT 'acceptances', max(id) FROM acceptances UNION ALL
      SELECT 'rebaselines', max(id) FROM rebaselines UNION ALL
      SELECT 'alert_events', max(id) FROM alert_events UNION ALL
      SELECT 'track_records', max(id) FROM track_records UNION ALL
      SELECT 'checkpoints', max(id) FROM checkpoints UNION ALL
      SELECT 'change_points', max(id) FROM change_points UNION ALL
      SELECT 'amendments', max(id) FROM amendments UNION ALL
      SELECT 'archives', max(id) FROM archives UNION ALL
      SELECT 'policies', max(id) FROM policies UNION ALL
      SELECT 'silences', max(id) FROM silences UNION ALL
      SELECT 'reports', max(id) FROM reports) AS t
JOIN pg_sequences s ON s.schemaname = 'stepledger' AND s.sequencename = t.name || '_id_seq'
WHERE has_sequence_privilege('stepledger.' || s.sequencename, 'SELECT')
  AND (coalesce(s.last_value, 0) < t.last_id
       OR s.last_value > coalesce(t.last_id, 0) + 1000000000000)
LIMIT 20;
