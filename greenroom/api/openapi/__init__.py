"""Builds and serves the OpenAPI document."""
