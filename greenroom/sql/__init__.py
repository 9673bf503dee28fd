"""Relational data: the interface of the SQL database."""
