"""Tests of bookings: money, refunds, journal, payments."""
