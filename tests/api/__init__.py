"""The doors, asked over HTTP."""
