"""REST and the socket: handlers parse, call one use case and render the result."""
