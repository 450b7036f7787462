"""The replica of a table: events and the time go in, commands come out; no I/O of any kind."""
