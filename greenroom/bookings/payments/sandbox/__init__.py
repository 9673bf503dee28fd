"""A payment provider for tests and the demo: it moves no money."""
