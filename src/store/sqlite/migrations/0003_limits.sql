-- PostgreSQL counts the bytes of events from now on, and limits the time of a transaction. Files have counted since 0001_initial, and
-- have no server that could be frozen, so nothing changes here.
SELECT bytes FROM event_usage;
