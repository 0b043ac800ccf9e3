-- What gives the rows their meaning, as the server has it: functions, views, triggers. flags: all
-- about it that any server says alike; definition: its text, which the server words anew where
-- is_deparsed, and another major version may word otherwise. The same trigger on many tables is one
-- row.
-- Parameters: none
-- Result: kind text, name text, flags text, definition text, is_deparsed boolean
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
ORDER BY 1, 2, 3;
