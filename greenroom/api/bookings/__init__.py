"""The REST routes and registration of bookings."""
