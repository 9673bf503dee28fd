"""The REST routes of cards and bookings."""
