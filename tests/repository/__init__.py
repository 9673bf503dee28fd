"""Tests of the repository itself: lock files, docs, settings, the table of problems."""
