"""Bookings: what was agreed, for how much, and what became of it."""
