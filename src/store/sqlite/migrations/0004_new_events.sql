-- Nothing changes: one transaction writes at a time, so events have their positions when they are appended.
SELECT 1;
