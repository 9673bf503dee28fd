"""The access matrix of the platform's own routes: each route's status for each kind of caller
(`api/access.py`)."""

ACCESS = """
200 200 200 200 200 200 200 200 200 403  GET /v1/sync
"""
