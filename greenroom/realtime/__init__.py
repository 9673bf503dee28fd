"""Delivers events to connected clients, on this node and on other nodes."""
