"""The OpenAPI document: what it says of every property, and how it is served."""
