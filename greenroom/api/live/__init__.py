"""The API of live. So far only its tables exist."""
