"""The WebSocket: one stream of typed JSON frames for requests, answers and events."""
