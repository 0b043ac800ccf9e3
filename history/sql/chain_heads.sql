-- The last entry of every chain, in the byte order of names.
-- Parameters: none
-- Result: chain text, position bigint, entry_sha256 bytea, kind text
SELECT c.chain, h.position, h.entry_sha256, h.kind
FROM (SELECT ('s' || id) COLLATE "C" AS chain FROM series
      UNION ALL SELECT 'j' || id FROM projects
      UNION ALL SELECT 'ledger') AS c,
     LATERAL (SELECT e.position, e.entry_sha256, e.kind FROM entries e
              WHERE e.chain = c.chain ORDER BY e.position DESC LIMIT 1) AS h
ORDER BY c.chain;
