"""Clients that code generators make from the OpenAPI document, and their first calls."""
