"""REST routes of messaging."""
