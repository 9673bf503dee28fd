"""The house itself: its locks, its docs, its table of problems."""
