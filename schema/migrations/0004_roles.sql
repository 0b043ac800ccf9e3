-- 0004: roles by what a program does: it appends profiles, judges, delivers, or only reads.
--
-- Roles belong to the whole server, so several databases may make them at once: who comes second
-- takes what is there. Without the right to make roles nothing is made, and whoever owns the schema
-- grants by hand; `stepledger check` says which roles are missing. The role `stepledger` (0003) is
-- a member of all four, so that one connection can do everything a command needs.

DO $$
DECLARE
    role_name text;
BEGIN
    FOREACH role_name IN ARRAY ARRAY['stepledger_owner', 'stepledger_ingest', 'stepledger_compare',
                                     'stepledger_alert', 'stepledger_read'] LOOP
        CONTINUE WHEN EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = role_name);
        BEGIN
            EXECUTE format('CREATE ROLE %I NOLOGIN', role_name);
        EXCEPTION
            WHEN duplicate_object OR unique_violation THEN NULL;
            WHEN insufficient_privilege THEN EXIT;
        END;
    END LOOP;
END
$$;

DO $$
DECLARE
    role_name text;
BEGIN
    IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = 'stepledger') THEN
        RETURN;
    END IF;
    FOR role_name IN
        SELECT rolname FROM pg_catalog.pg_roles
        WHERE rolname IN ('stepledger_ingest', 'stepledger_compare', 'stepledger_alert',
                          'stepledger_read')
          AND NOT pg_has_role('stepledger', oid, 'MEMBER')
        ORDER BY rolname
    LOOP
        BEGIN
            EXECUTE format('GRANT %I TO stepledger', role_name);
        EXCEPTION
            WHEN unique_violation THEN NULL; -- another database granted it meanwhile
            WHEN insufficient_privilege THEN EXIT;
        END;
    END LOOP;
END
$$;

-- Grants rights on tables of this schema to those of the roles that exist, and to the application.
CREATE PROCEDURE ledger_grant(rights text, tables text[], roles text[])
LANGUAGE plpgsql AS $$
DECLARE
    role_name text;
    table_name text;
BEGIN
    FOR role_name IN
        SELECT rolname FROM pg_catalog.pg_roles WHERE rolname = ANY (roles || 'stepledger'::text)
    LOOP
        EXECUTE format('GRANT USAGE ON SCHEMA stepledger TO %I', role_name);
        FOREACH table_name IN ARRAY tables LOOP
            EXECUTE format('GRANT %s ON stepledger.%I TO %I', rights, table_name, role_name);
        END LOOP;
    END LOOP;
END
$$;
