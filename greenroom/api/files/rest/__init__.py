"""Routes of files."""
