-- One producer per (destination, order key) until the end of the transaction: so ids ascend in
-- commit order within a key. In one fixed order, so that two producers cannot deadlock.
-- Parameters: $1 destinations text[], $2 order_keys text[]
-- Result: locked bigint
SELECT count(*)
FROM (SELECT DISTINCT hashtextextended(
          'stepledger.outbox ' || k.destination || ' ' || k.order_key, 0) AS key
      FROM unnest($1::text[], $2::text[]) AS k (destination, order_key)
      ORDER BY key) AS keys,
     LATERAL pg_advisory_xact_lock(keys.key);
