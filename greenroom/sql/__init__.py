"""Relational data: the interface of the SQL database, and its engines SQLite and PostgreSQL."""
