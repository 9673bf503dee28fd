"""What was agreed: bookings, their money, documents and cards."""
