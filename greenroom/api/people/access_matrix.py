"""The access matrix of people: each route's status for each kind of caller (`api/access.py`)."""

ACCESS = """
200 200 200 200 200 200 200 200 200 403  GET /v1/me
409 409 409 409 409 409 409 409 403 403  PUT /v1/me
200 200 200 200 200 200 200 200 200 403  PATCH /v1/me
200 200 200 200 200 200 200 200 200 200  GET /v1/people
200 200 200 200 200 200 200 200 200 200  GET /v1/people/{userId}
403 403 403 403 403 403 403 200 403 200  PATCH /v1/people/{userId}
403 403 403 403 403 403 403 201 403 201  POST /v1/people
"""
