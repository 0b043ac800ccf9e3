-- Makes the schema that holds everything of ours.
-- Parameters: none
-- Result: none
CREATE SCHEMA stepledger;
