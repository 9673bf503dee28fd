"""REST routes of safety."""
