-- How many rows the partitions of a month hold.
-- Parameters: $1 month text
-- Result: row_count bigint
WITH bounds AS (
    SELECT to_date($1::text, 'YYYY-MM') AS since,
           (to_date($1::text, 'YYYY-MM') + interval '1 month')::date AS until
)
SELECT (SELECT count(*) FROM summaries r WHERE r.recorded_on >= (SELECT since FROM bounds)
                                           AND r.recorded_on < (SELECT until FROM bounds))
     + (SELECT count(*) FROM profile_devices r WHERE r.recorded_on >= (SELECT since FROM bounds)
                                                 AND r.recorded_on < (SELECT until FROM bounds))
     + (SELECT count(*) FROM profile_steps r WHERE r.recorded_on >= (SELECT since FROM bounds)
                                               AND r.recorded_on < (SELECT until FROM bounds))
     + (SELECT count(*) FROM step_spans r WHERE r.recorded_on >= (SELECT since FROM bounds)
                                            AND r.recorded_on < (SELECT until FROM bounds))
     + (SELECT count(*) FROM op_rows r WHERE r.recorded_on >= (SELECT since FROM bounds)
                                         AND r.recorded_on < (SELECT until FROM bounds));
