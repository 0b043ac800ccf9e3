-- A checkpoint under the number that this session reserved last; the server looks at what it says.
-- Parameters: $1 root_sha256 bytea, $2 document text
-- Result: id bigint
SELECT checkpoint_add($1, $2);
