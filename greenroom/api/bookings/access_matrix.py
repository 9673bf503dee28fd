"""The access matrix of bookings: each route's status for each kind of caller (`api/access.py`).

The conversation of the caller called `member` has a booking of two, in which that caller provides.
"""

ACCESS = """
404 409 404 422 409 201 404 404 201 403  POST /v1/threads/{threadId}/cards
404 200 404 200 200 200 200 200 200 403  GET /v1/threads/{threadId}/cards
404 200 404 200 200 200 200 200 200 403  GET /v1/threads/{threadId}/booking
404 404 404 404 404 200 200 200 200 403  GET /v1/cards/{cardId}
404 404 404 404 404 201 403 403 201 403  POST /v1/cards/{cardId}/steps
404 404 404 404 404 200 200 200 200 403  GET /v1/legs/{legId}/calendar.ics
403 403 403 403 403 403 200 200 403 403  GET /v1/moderation/bookings
403 403 403 403 403 403 404 404 403 403  POST /v1/moderation/payments/{paymentKey}/retry
"""
