-- 0226: what verdicts and track records say is JSON that can be read, and measures are numbers.
--
-- Gates, lists and views look into the documents of verdicts and of what was asked of them, with
-- the server's functions. Who judges could store a verdict whose document was none: every gate
-- whose plan met that row ended with the server's error, for good, as nothing takes a verdict back;
-- a track record like that ended `history` and `export`. Rows of before stay as they are (NOT
-- VALID). What a document says besides is read with care by who reads it.

-- No program of ours nests deeper than a dozen; the server's and ours read 2000 levels and more.
-- Strings are left out first, then each round takes the innermost pairs of brackets.
CREATE FUNCTION json_is_read(document text) RETURNS boolean IMMUTABLE LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    rest text;
    brackets text;
BEGIN
    -- ->> reads every string on its way: one with a NUL is none for the server, nor half a pair.
    IF json_typeof(document::json) <> 'object' OR length(document::json ->> '') < 0 THEN
        RETURN false;
    END IF;
    brackets := replace(replace(document, chr(92) || chr(92), ''), chr(92) || '"', '');
    brackets := regexp_replace(regexp_replace(brackets, '"[^"]*"', '', 'g'), '[^][{}]+', '', 'g');
    FOR level IN 1 .. 100 LOOP
        rest := replace(replace(brackets, '[]', ''), '{}', '');
        EXIT WHEN rest = '';
        IF level = 100 THEN
            RETURN false;
        END IF;
        brackets := rest;
    END LOOP;
    RETURN true;
END
$$;

-- The step times of both sides are numbers, where they are said.
CREATE FUNCTION verdict_is_read(document text) RETURNS boolean IMMUTABLE LANGUAGE sql
RETURN json_is_read(document)
    AND coalesce((document::json #>> '{candidate,step_median_us}')::double precision, 0) >= 0
    AND coalesce((document::json #>> '{baseline,step_median_us}')::double precision, 0) >= 0;

ALTER TABLE verdicts ADD CONSTRAINT verdicts_document CHECK (verdict_is_read(document)) NOT VALID;
ALTER TABLE verdict_requests
    ADD CONSTRAINT verdict_requests_document CHECK (json_is_read(document)) NOT VALID;
-- A line of JSON each.
ALTER TABLE track_records ADD CONSTRAINT track_records_document
    CHECK (json_is_read(document) AND strpos(document, chr(10)) = 0) NOT VALID;

-- What is no number, or has no products, ended `list`, `trend --group-by op` and pictures.
ALTER TABLE measures ADD CONSTRAINT measures_value
    CHECK (value = 0 OR abs(value) BETWEEN 1e-150 AND 1e150) NOT VALID;
