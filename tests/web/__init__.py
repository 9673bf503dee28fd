"""The web app: how it is served, and its client against a real server."""
