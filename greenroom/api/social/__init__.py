"""What the outside sees of social: so far its tables."""
