"""What may be said and sent: blocks, limits, reports, moderation."""
