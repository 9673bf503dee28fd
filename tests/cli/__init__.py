"""Tests of the command line, run as processes."""
