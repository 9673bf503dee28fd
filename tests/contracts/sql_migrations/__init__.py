"""Migrations of the tables that test_sql.py uses, in folders as a context has one."""
