"""Tests of the folder engine. Those of all engines are in tests/contracts."""
