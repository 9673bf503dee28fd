"""Greenroom: a conversation backend for marketplaces."""

__version__ = "0.1.0"
