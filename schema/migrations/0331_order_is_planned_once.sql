-- 0331: what finds the place of a named profile is planned where it is used.
--
-- Whatever asks for marks had run_order_at in its own plan, once for each use, and planned it for
-- every connection, though most workloads have no mark: more than half of the planning of a trend.
-- As a function of its own it is planned at its first call, once a connection, for all profiles.

CREATE OR REPLACE FUNCTION run_order_at(profile_id bigint, at timestamptz)
RETURNS TABLE (ran_at timestamptz, place bigint)
STABLE LANGUAGE plpgsql ROWS 1
SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    RETURN QUERY
    SELECT p.ran_at, p.place
    FROM stepledger.profiles_at($2) p
    WHERE p.id = (
        WITH RECURSIVE line (id) AS (
            SELECT $1
            UNION
            SELECT a.superseded_by FROM line l
            CROSS JOIN LATERAL (
                SELECT n.superseded_by FROM stepledger.amendments_at($2) n
                WHERE n.profile_id = l.id ORDER BY n.ordinal DESC LIMIT 1) a
            WHERE a.superseded_by IS NOT NULL)
        SELECT max(l.id) FROM line l);
END
$$;
