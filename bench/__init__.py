"""Benchmarks. Each ends with one line of JSON, so that two runs can be compared."""
