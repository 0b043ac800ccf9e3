-- 0332: what reads the document of a verdict looks into it once.
--
-- document_json asked json_is_read (0226), which takes a document apart by regular expressions: a
-- list of verdicts, and a gate of a run that was judged often, spent most of their time on that. As
-- jsonb a document is refused for the same strings, and tells itself how deep it nests. What is
-- stored is still checked by json_is_read, which no duplicate name deceives.

CREATE OR REPLACE FUNCTION document_json(document text) RETURNS json STABLE LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    value jsonb;
BEGIN
    value := document::jsonb;
    RETURN CASE WHEN jsonb_typeof(value) = 'object'
                     AND NOT value @? 'strict $.**{100} ? (@.type() == "object"
                                                           || @.type() == "array")'
                THEN document::json END;
EXCEPTION WHEN OTHERS THEN
    RETURN NULL;
END
$$;
