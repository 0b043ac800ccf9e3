-- 0220: reports of what moved in a project.
--
-- A report is an entry: what a team read on a Monday stays as it was, whatever is corrected later.
-- The document is schema/documents/trend_report.schema.json; its columns repeat what it says of its
-- name and its period. A schedule makes one report of a name and an end of its period, however
-- often it is begun: what comes second finds it there.

CREATE TABLE reports (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project_id  bigint NOT NULL REFERENCES projects,
    name        text CHECK (length(name) BETWEEN 1 AND 200),
    since_at    timestamptz NOT NULL,
    until_at    timestamptz NOT NULL,
    document    text COMPRESSION lz4 NOT NULL,
    recorded_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    recorded_by text NOT NULL DEFAULT session_user,
    CHECK (since_at < until_at),
    CHECK (document::jsonb ->> 'schema_version' = 'trend_report.v1'
           AND document::jsonb ->> 'name' IS NOT DISTINCT FROM name)
);
COMMENT ON COLUMN reports.name IS 'of its section of the configuration; NULL: made by hand';
CREATE UNIQUE INDEX reports_once ON reports (project_id, name, until_at) WHERE name IS NOT NULL;
CREATE INDEX reports_of_project ON reports (project_id, id);

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
    WHEN 'report' THEN
        SELECT 'j' || r.project_id INTO chain FROM stepledger.reports r
        WHERE r.id = entry_place.id;
    WHEN 'silence' THEN
        SELECT 'ledger' INTO chain FROM stepledger.silences n WHERE n.id = entry_place.id;
    END CASE;
END
$$;

-- The kinds are those whose content has a section `origin` (history/chain/entry_kinds.c).
CREATE OR REPLACE FUNCTION origin_open_check() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    said record;
BEGIN
    FOR said IN SELECT a.kind, a.subject_id FROM added a LOOP
        IF said.kind OPERATOR(pg_catalog.<>) ALL
               (ARRAY['profile', 'verdict', 'delivery', 'acceptance', 'rebaseline', 'alert',
                      'track', 'change_point', 'amendment', 'report'])
           OR (SELECT e.chain FROM stepledger.entry_place(said.kind, said.subject_id) e) IS NULL
           OR EXISTS (SELECT FROM stepledger.entries e
                      WHERE e.kind OPERATOR(pg_catalog.=) said.kind
                        AND e.subject_id OPERATOR(pg_catalog.=) said.subject_id) THEN
            PERFORM stepledger.ledger_closed(TG_RELID, 'a subject');
        END IF;
    END LOOP;
    RETURN NULL;
END
$$;

CALL ledger_protect('reports');
CALL ledger_chain('reports', 'report');
CALL ledger_grant('SELECT', ARRAY['reports'],
    ARRAY['stepledger_ingest', 'stepledger_compare', 'stepledger_alert', 'stepledger_read']);
-- They are made by the scheduler and by people, who have the role `stepledger`, and by no worker.
CALL ledger_grant('INSERT (project_id, name, since_at, until_at, document)', ARRAY['reports'],
    ARRAY[]::text[]);
