"""Tests of the PDF files of bookings."""
