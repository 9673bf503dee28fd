"""The API of social. So far only its tables exist."""
