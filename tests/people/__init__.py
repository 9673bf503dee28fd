"""Tests of the people context: accounts, usernames, search."""
