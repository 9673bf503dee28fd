"""The migrations of the bookings tables, in order."""
