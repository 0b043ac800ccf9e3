-- 0190: checkpoints are made by functions that look at what they are given.
--
-- Who could insert into `checkpoints` could store a document that is none: the next checkpoint
-- could not be made, and `verify` said what was not true. Ranges of leaves could be put in the same
-- way. Now the order of leaves is continued by the server alone, and a checkpoint is stored only
-- when it names every chain where it ends, and its roots are those of what it names. It is the
-- scheduler's and the command line's to make one, and no other worker's.

-- The root of the Merkle tree over hashes of leaves (RFC 6962 section 2.1): what is left over on a
-- level goes up as it is.
CREATE FUNCTION merkle_root(leaves bytea[]) RETURNS bytea IMMUTABLE LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    level bytea[] := leaves;
BEGIN
    IF coalesce(cardinality(level), 0) = 0 THEN
        RETURN sha256('');
    END IF;
    WHILE cardinality(level) > 1 LOOP
        level := ARRAY(
            SELECT CASE count(*) WHEN 1 THEN string_agg(n.hash, ''::bytea)
                   ELSE sha256(decode('01', 'hex')
                               || string_agg(n.hash, ''::bytea ORDER BY n.number)) END
            FROM unnest(level) WITH ORDINALITY AS n (hash, number)
            GROUP BY (n.number - 1) / 2 ORDER BY (n.number - 1) / 2);
    END LOOP;
    RETURN level[1];
END
$$;

-- Where every chain ends as the order of leaves has it.
CREATE FUNCTION checkpoint_heads() RETURNS TABLE (chain text, head_position bigint,
                                                  head_sha256 bytea)
STABLE LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN QUERY
    SELECT c.chain, e.position, e.entry_sha256
    FROM (SELECT ('s' || s.id) COLLATE "C" AS chain FROM stepledger.series s
          UNION ALL SELECT 'j' || j.id FROM stepledger.projects j
          UNION ALL SELECT 'ledger') AS c
    CROSS JOIN LATERAL (SELECT r.last_position FROM stepledger.tree_ranges r
                        WHERE r.chain = c.chain ORDER BY r.first_position DESC LIMIT 1) AS h
    JOIN stepledger.entries e ON e.chain = c.chain AND e.position = h.last_position
    ORDER BY c.chain;
END
$$;

-- Begins a checkpoint: what every chain got since the last one is appended to the order of leaves.
CREATE FUNCTION checkpoint_begin() RETURNS TABLE (chain text, head_position bigint,
                                                  head_sha256 bytea)
VOLATILE LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM stepledger.ledger_lock('chain ledger');
    INSERT INTO stepledger.tree_ranges (first_leaf, chain, first_position, last_position)
    SELECT t.leaves + sum(n.upto - n.after) OVER (ORDER BY n.chain) - (n.upto - n.after),
           n.chain, n.after + 1, n.upto
    FROM (SELECT c.chain, h.position AS upto,
                 coalesce((SELECT r.last_position FROM stepledger.tree_ranges r
                           WHERE r.chain = c.chain ORDER BY r.first_position DESC LIMIT 1), 0)
                     AS after
          FROM (SELECT ('s' || s.id) COLLATE "C" AS chain FROM stepledger.series s
                UNION ALL SELECT 'j' || j.id FROM stepledger.projects j
                UNION ALL SELECT 'ledger') AS c
          CROSS JOIN LATERAL (SELECT e.position FROM stepledger.entries e
                              WHERE e.chain = c.chain ORDER BY e.position DESC LIMIT 1) AS h) AS n
    CROSS JOIN (SELECT coalesce(max(r.first_leaf + r.last_position - r.first_position + 1), 0)
                           AS leaves
                FROM stepledger.tree_ranges r) AS t
    WHERE n.upto > n.after;
    RETURN QUERY SELECT * FROM stepledger.checkpoint_heads();
END
$$;

-- Refuses what is no checkpoint of the heads and leaves that there are. Its members are those of
-- schema/checkpoint.schema.json.
CREATE FUNCTION checkpoint_check(number bigint, root_sha256 bytea, said jsonb) RETURNS void
STABLE LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    peaks bytea[];
    leaves bigint;
    top bytea;
    fault text;
BEGIN
    SELECT coalesce(max(r.first_leaf + r.last_position - r.first_position + 1), 0) INTO leaves
    FROM stepledger.tree_ranges r;
    SELECT array_agg(decode(p.peak, 'hex') ORDER BY p.number DESC), NULL INTO peaks, top
    FROM jsonb_array_elements_text(said -> 'tree_peaks') WITH ORDINALITY
        AS p (peak, number);
    FOR i IN 1 .. coalesce(cardinality(peaks), 0) LOOP
        top := CASE i WHEN 1 THEN peaks[i] ELSE sha256(decode('01', 'hex') || peaks[i] || top) END;
    END LOOP;
    fault := CASE
        WHEN said ->> 'schema_version' IS DISTINCT FROM 'checkpoint.v1'
             OR said ->> 'id' IS DISTINCT FROM 'c' || number THEN 'its name'
        WHEN EXISTS (SELECT FROM jsonb_to_recordset(said -> 'heads')
                         AS h (chain text, "position" bigint, sha256 text)
                     FULL JOIN stepledger.checkpoint_heads() AS w ON w.chain = h.chain
                     WHERE h.position IS DISTINCT FROM w.head_position
                        OR h.sha256 IS DISTINCT FROM encode(w.head_sha256, 'hex')) THEN 'a head'
        WHEN jsonb_array_length(said -> 'heads')
             <> (SELECT count(*) FROM stepledger.checkpoint_heads()) THEN 'the number of heads'
        WHEN said ->> 'root_sha256' IS DISTINCT FROM encode(root_sha256, 'hex')
             OR root_sha256 <> stepledger.merkle_root(ARRAY(
                 SELECT sha256(decode('00', 'hex') || int2send(3::int2)
                               || stepledger.entry_value(convert_to(w.chain, 'UTF8'))
                               || stepledger.entry_value(int8send(w.head_position))
                               || stepledger.entry_value(w.head_sha256))
                 FROM stepledger.checkpoint_heads() AS w ORDER BY w.chain COLLATE "C"))
            THEN 'its root'
        WHEN (said ->> 'tree_size')::bigint IS DISTINCT FROM leaves THEN 'the size of its tree'
        WHEN coalesce(cardinality(peaks), 0) <> bit_count(leaves::bit(64))
             OR said ->> 'tree_root_sha256' IS DISTINCT FROM encode(top, 'hex')
            THEN 'the root of its tree'
    END;
    IF fault IS NOT NULL THEN
        RAISE EXCEPTION 'checkpoint c%: % is not what the ledger holds', number, fault
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
END
$$;

-- Stores a checkpoint under the number that this session reserved last, between checkpoint_begin
-- and the end of its transaction.
CREATE FUNCTION checkpoint_add(root_sha256 bytea, document text) RETURNS bigint
VOLATILE LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    number bigint := currval('stepledger.checkpoints_id_seq');
    said jsonb := document::jsonb;
BEGIN
    PERFORM stepledger.checkpoint_check(number, root_sha256, said);
    INSERT INTO stepledger.checkpoints (id, root_sha256, chain_count, document)
    VALUES (number, root_sha256, jsonb_array_length(said -> 'heads'), document);
    RETURN number;
END
$$;

REVOKE ALL ON FUNCTION merkle_root(bytea[]) FROM PUBLIC;
REVOKE ALL ON FUNCTION checkpoint_heads() FROM PUBLIC;
REVOKE ALL ON FUNCTION checkpoint_check(bigint, bytea, jsonb) FROM PUBLIC;
CALL ledger_grant_execute('checkpoint_begin()', ARRAY[]::text[]);
CALL ledger_grant_execute('checkpoint_add(bytea, text)', ARRAY[]::text[]);

-- From all who could insert, and from members' ways round it: `stepledger` is a member of both.
DO $$
DECLARE
    role_name text;
BEGIN
    FOR role_name IN
        SELECT rolname FROM pg_catalog.pg_roles
        WHERE rolname IN ('stepledger', 'stepledger_ingest', 'stepledger_alert')
    LOOP
        EXECUTE format('REVOKE ALL ON checkpoints, tree_ranges FROM %I', role_name);
        EXECUTE format('GRANT SELECT ON checkpoints, tree_ranges TO %I', role_name);
        IF role_name <> 'stepledger' THEN
            EXECUTE format('REVOKE ALL ON SEQUENCE checkpoints_id_seq FROM %I', role_name);
        END IF;
    END LOOP;
END
$$;
