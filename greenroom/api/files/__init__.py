"""REST and the socket of files."""
