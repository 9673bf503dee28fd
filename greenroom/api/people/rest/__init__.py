"""REST routes of people."""
