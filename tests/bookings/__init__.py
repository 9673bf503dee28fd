"""Tests of bookings."""
