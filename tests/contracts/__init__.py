"""Contract tests: the same tests run on every engine of a port."""
