-- Somebody was told, or there is nobody to tell.
-- Parameters: $1 name text
-- Result: none
UPDATE destinations SET disabled_told = true WHERE name = $1;
