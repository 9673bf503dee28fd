"""Tests of the messaging context: its use cases, their cost, and a reference model."""
