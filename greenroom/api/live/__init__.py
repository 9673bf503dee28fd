"""What the outside sees of live: so far its tables."""
