-- 0201: the peaks of a checkpoint's tree are made by the server.
--
-- checkpoint_add compared heads and roots with what the ledger holds, but took the peaks of the
-- tree as they were told, as long as they made the root that was told, too: with made-up ones the
-- checkpoints after it grew from a tree that never was. Now they are grown here, from the entries
-- in the order of leaves, and what was made is kept, so that a checkpoint costs what is new.

-- One row: the peaks of a tree of so many leaves, the largest first. A cache: without it the tree
-- is made from its first leaf on.
CREATE TABLE tree_grown (leaves bigint PRIMARY KEY, peaks bytea[] NOT NULL);
CALL ledger_grant('SELECT', ARRAY['tree_grown'],
    ARRAY['stepledger_ingest', 'stepledger_compare', 'stepledger_alert', 'stepledger_read']);

-- A leaf is SHA-256 of 0x00 and the entry's hash, a node that of 0x01 and its children (RFC 9162):
-- each new leaf completes the perfect trees at the end of the size.
CREATE FUNCTION tree_grow(OUT leaves bigint, OUT peaks bytea[]) VOLATILE LANGUAGE plpgsql
SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    entry bytea;
    node bytea;
    size bigint;
    was bigint;
BEGIN
    SELECT t.leaves, t.peaks INTO leaves, peaks
    FROM stepledger.tree_grown t
    WHERE t.leaves <= (SELECT max(r.first_leaf + r.last_position - r.first_position + 1)
                       FROM stepledger.tree_ranges r)
    ORDER BY t.leaves DESC LIMIT 1;
    leaves := coalesce(leaves, 0);
    peaks := coalesce(peaks, ARRAY[]::bytea[]);
    was := leaves;
    FOR entry IN
        SELECT e.entry_sha256
        FROM stepledger.tree_ranges r
        JOIN stepledger.entries e ON e.chain = r.chain
            AND e.position BETWEEN r.first_position AND r.last_position
        WHERE r.first_leaf >= was ORDER BY r.first_leaf, e.position
    LOOP
        node := sha256(decode('00', 'hex') || entry);
        size := leaves;
        WHILE size % 2 = 1 LOOP
            node := sha256(decode('01', 'hex') || peaks[cardinality(peaks)] || node);
            peaks := peaks[1:cardinality(peaks) - 1];
            size := size / 2;
        END LOOP;
        peaks := array_append(peaks, node);
        leaves := leaves + 1;
    END LOOP;
    IF leaves > was THEN
        DELETE FROM stepledger.tree_grown;
        INSERT INTO stepledger.tree_grown VALUES (leaves, peaks);
    END IF;
END
$$;
CALL ledger_grant_execute('tree_grow()', ARRAY[]::text[]);

CREATE OR REPLACE FUNCTION checkpoint_add(root_sha256 bytea, document text) RETURNS bigint
VOLATILE LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    number bigint := currval('stepledger.checkpoints_id_seq');
    said jsonb := document::jsonb;
BEGIN
    PERFORM stepledger.checkpoint_check(number, root_sha256, said);
    IF ARRAY(SELECT decode(p.peak, 'hex')
             FROM jsonb_array_elements_text(said -> 'tree_peaks') WITH ORDINALITY AS p (peak, place)
             ORDER BY p.place)
       IS DISTINCT FROM (SELECT g.peaks FROM stepledger.tree_grow() g) THEN
        RAISE EXCEPTION 'checkpoint c%: the peaks of its tree are not those of the entries', number
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    INSERT INTO stepledger.checkpoints (id, root_sha256, chain_count, document)
    VALUES (number, root_sha256, jsonb_array_length(said -> 'heads'), document);
    RETURN number;
END
$$;
