"""Builds the AsyncAPI 3.0 document of the socket from the types of its frames."""
