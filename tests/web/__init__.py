"""The web app in a browser, and its client library, against a real server."""
