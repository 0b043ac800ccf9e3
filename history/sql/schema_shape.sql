-- What gives the rows their meaning, as the server has it: functions, views, triggers, tables with
-- their columns' types, defaults, constraints, indexes, of which one that leaves rows out hides
-- them. flags: all about it that any server says alike; definition: its text, which the server
-- words anew where is_deparsed, and another major version may word otherwise. The same trigger on
-- many tables is one row. A month is left out, also a detached one: rows are written by way of its
-- table, whose defaults count. So are the parentheses of a constraint: a restored dump has fewer of
-- them.
-- Parameters: none
-- Result: kind text, name text, flags text, definition text, is_deparsed boolean
WITH tables AS (
    SELECT c.oid, c.relname::text AS name, c.relkind, c.relpersistence
    FROM pg_class c
    WHERE c.relnamespace = 'stepledger'::regnamespace AND c.relkind IN ('r', 'p')
      AND NOT c.relispartition
      AND c.relname !~ ('^(' || array_to_string(stepledger.ledger_monthly(), '|')
                        || ')_[0-9]{4}_[0-9]{2}')
)
SELECT 'function'::text,
       p.proname || '(' || pg_get_function_identity_arguments(p.oid) || ')',
       concat_ws(' ', p.prokind, l.lanname, 'volatile=' || p.provolatile::text,
                 'definer=' || p.prosecdef, 'strict=' || p.proisstrict,
                 'leakproof=' || p.proleakproof, 'parallel=' || p.proparallel::text,
                 'returns ' || pg_get_function_result(p.oid),
                 'set ' || array_to_string(p.proconfig, '; ')),
       coalesce(pg_get_function_sqlbody(p.oid), p.prosrc), p.prosqlbody IS NOT NULL
FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang
WHERE p.pronamespace = 'stepledger'::regnamespace
UNION ALL
SELECT 'view', c.relname, concat_ws(' ', c.relkind, array_to_string(c.reloptions, '; ')),
       pg_get_viewdef(c.oid), true
FROM pg_class c
WHERE c.relnamespace = 'stepledger'::regnamespace AND c.relkind IN ('v', 'm')
UNION ALL
SELECT DISTINCT 'trigger', t.tgname::text,
       concat_ws(' ', t.tgfoid::regproc, 'type=' || t.tgtype,
                 'deferrable=' || t.tgdeferrable || '/' || t.tginitdeferred,
                 'arguments=' || encode(t.tgargs, 'escape')),
       coalesce(t.tgattr::text, '') || CASE WHEN t.tgqual IS NULL THEN '' ELSE ' when' END, false
FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
WHERE c.relnamespace = 'stepledger'::regnamespace AND NOT t.tgisinternal
UNION ALL
SELECT 'table', t.name, concat_ws(' ', t.relkind, t.relpersistence),
       string_agg(concat_ws(' ', a.attname, format_type(a.atttypid, a.atttypmod), l.collname,
                            'null=' || NOT a.attnotnull, 'identity=' || a.attidentity::text,
                            'generated=' || a.attgenerated::text),
                  ', ' ORDER BY a.attname COLLATE "C"), false
FROM tables t JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped
LEFT JOIN pg_collation l ON l.oid = a.attcollation
GROUP BY t.name, t.relkind, t.relpersistence
UNION ALL
SELECT 'default', t.name || '.' || a.attname, '', pg_get_expr(d.adbin, d.adrelid), true
FROM tables t JOIN pg_attrdef d ON d.adrelid = t.oid
JOIN pg_attribute a ON a.attrelid = d.adrelid AND a.attnum = d.adnum
UNION ALL
SELECT 'constraint', t.name || '.' || n.conname,
       concat_ws(' ', n.contype, 'validated=' || n.convalidated,
                 'deferrable=' || n.condeferrable || '/' || n.condeferred),
       translate(pg_get_constraintdef(n.oid), '() ', ''), true
FROM tables t JOIN pg_constraint n ON n.conrelid = t.oid
WHERE n.contype IN ('c', 'f', 'p', 'u', 'x') AND n.conparentid = 0
UNION ALL
SELECT 'index', k.relname::text,
       concat_ws(' ', 'unique=' || i.indisunique, 'primary=' || i.indisprimary,
                 'valid=' || i.indisvalid, 'ready=' || i.indisready, 'live=' || i.indislive,
                 'immediate=' || i.indimmediate, 'exclusion=' || i.indisexclusion,
                 'partial=' || (i.indpred IS NOT NULL), 'computed=' || (i.indexprs IS NOT NULL)),
       pg_get_indexdef(i.indexrelid), true
FROM tables t JOIN pg_index i ON i.indrelid = t.oid JOIN pg_class k ON k.oid = i.indexrelid
ORDER BY 1, 2, 3;
