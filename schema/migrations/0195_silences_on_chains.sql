-- 0195: silences have entries.
--
-- Who could write the database could make a project silent, or end somebody's silence, and nothing
-- told. A silence is what a person decided: it hangs on the chain `ledger`, as it names a project
-- that the ledger may not know yet.

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
    WHEN 'silence' THEN
        SELECT 'ledger' INTO chain FROM stepledger.silences n WHERE n.id = entry_place.id;
    END CASE;
END
$$;

CALL ledger_protect('silences');
CALL ledger_chain('silences', 'silence');

-- Those of before get theirs from the back-fill that follows.
INSERT INTO chain_starts (kind, last_id) SELECT 'silence', coalesce(max(id), 0) FROM silences;
