"""Tests of single engines of the SQL database, and of how one is opened."""
