-- Whether the partitions of this month and the next one are there; makes them when they are not.
-- Parameters: none
-- Result: were_there boolean
SELECT m.were_there FROM ledger_months_ensure() AS m;
