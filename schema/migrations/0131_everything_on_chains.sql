-- 0131: what no hash covered has entries: projects, series and policies.
--
-- A series that was put under another project, a policy that was taken out and a project that
-- nobody made went unseen. Each has an entry now, on the chain of its project, policies on
-- `ledger`. `migrate` gives entries to rows of before in its own transaction and remembers nothing
-- of it, so that no row that is put in later gets one.

ALTER TABLE policies ADD COLUMN id bigint GENERATED ALWAYS AS IDENTITY UNIQUE;

CREATE OR REPLACE FUNCTION entry_place(kind text, id bigint, OUT chain text, OUT supersedes bigint)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    CASE kind
    WHEN 'profile' THEN
        SELECT 's' || p.series_id INTO chain FROM stepledger.profiles p
        WHERE p.id = entry_place.id;
    WHEN 'event' THEN
        SELECT 's' || p.series_id INTO chain
        FROM stepledger.profile_events e JOIN stepledger.profiles p ON p.id = e.profile_id
        WHERE e.id = entry_place.id;
    WHEN 'verdict' THEN
        SELECT coalesce('s' || v.series_id, 'j' || v.project_id) INTO chain
        FROM stepledger.verdicts v WHERE v.id = entry_place.id;
    WHEN 'delivery' THEN
        SELECT coalesce('s' || v.series_id, 'j' || v.project_id, 'ledger') INTO chain
        FROM stepledger.deliveries d LEFT JOIN stepledger.verdicts v ON v.id = d.verdict_id
        WHERE d.id = entry_place.id;
    WHEN 'acceptance' THEN
        SELECT 'j' || a.project_id INTO chain FROM stepledger.acceptances a
        WHERE a.id = entry_place.id;
    WHEN 'rebaseline' THEN
        SELECT 's' || r.series_id INTO chain FROM stepledger.rebaselines r
        WHERE r.id = entry_place.id;
    WHEN 'alert' THEN
        SELECT 'j' || l.project_id INTO chain FROM stepledger.alert_events l
        WHERE l.id = entry_place.id;
    WHEN 'track' THEN
        SELECT 'j' || t.project_id INTO chain FROM stepledger.track_records t
        WHERE t.id = entry_place.id;
    WHEN 'change_point' THEN
        SELECT 's' || c.series_id INTO chain FROM stepledger.change_points c
        WHERE c.id = entry_place.id;
    WHEN 'amendment' THEN
        SELECT 's' || p.series_id, e.position INTO chain, supersedes
        FROM stepledger.amendments a
        JOIN stepledger.profiles p ON p.id = a.profile_id
        LEFT JOIN stepledger.entries e ON e.kind = 'profile' AND e.subject_id = p.id
        WHERE a.id = entry_place.id;
    WHEN 'archive' THEN
        SELECT 'ledger' INTO chain FROM stepledger.archives x WHERE x.id = entry_place.id;
    WHEN 'checkpoint' THEN
        SELECT 'ledger' INTO chain FROM stepledger.checkpoints c WHERE c.id = entry_place.id;
    WHEN 'project' THEN
        SELECT 'j' || j.id INTO chain FROM stepledger.projects j WHERE j.id = entry_place.id;
    WHEN 'series' THEN
        SELECT 'j' || s.project_id INTO chain FROM stepledger.series s
        WHERE s.id = entry_place.id;
    WHEN 'policy' THEN
        SELECT 'ledger' INTO chain FROM stepledger.policies p WHERE p.id = entry_place.id;
    END CASE;
END
$$;

CALL ledger_chain('projects', 'project');
CALL ledger_chain('series', 'series');
CALL ledger_chain('policies', 'policy');

-- Work state from here on: what migrations of this run found, until the last one is applied.
DROP TRIGGER ledger_refuse_statement ON chain_starts;
DROP TRIGGER ledger_refuse_row ON chain_starts;
INSERT INTO chain_starts (kind, last_id)
SELECT 'project', coalesce(max(id), 0) FROM projects
UNION ALL SELECT 'series', coalesce(max(id), 0) FROM series
UNION ALL SELECT 'policy', coalesce(max(id), 0) FROM policies;
