"""REST under /v1, one file per context."""
