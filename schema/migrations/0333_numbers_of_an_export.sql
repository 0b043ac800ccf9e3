-- 0333: what is imported into an empty ledger has the numbers that it had in the other one.
--
-- Reports and verdicts name series, profiles, verdicts and reports by number. Appends that did not
-- end used up numbers in the other ledger, and what left it with its month is not in its export:
-- without those numbers all that follows would be called otherwise.

-- Passes over the numbers before this one, so that the next row of the table gets it. Never back,
-- and not further than an export leaves out: who appends can use up numbers as well by appends that
-- do not end.
CREATE FUNCTION numbers_pass(table_name text, number bigint) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    counter CONSTANT regclass := ('stepledger.' || quote_ident(table_name || '_id_seq'))::regclass;
    last_number bigint;
BEGIN
    IF table_name <> ALL (ARRAY['series', 'profiles', 'verdicts', 'reports']) THEN
        RAISE EXCEPTION 'numbers of % are not passed over', table_name USING ERRCODE = '22023';
    END IF;
    last_number := coalesce(pg_sequence_last_value(counter), 0);
    IF number - 1 - last_number BETWEEN 1 AND 1000000 THEN
        PERFORM nextval(counter) FROM generate_series(last_number + 1, number - 1);
    END IF;
END
$$;
CALL ledger_grant_execute('numbers_pass(text, bigint)', ARRAY[]::text[]);
