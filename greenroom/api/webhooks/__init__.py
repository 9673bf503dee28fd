"""The API of webhooks."""
