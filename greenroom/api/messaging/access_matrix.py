"""The access matrix of messaging: each route's status for each kind of caller (`api/access.py`)."""

ACCESS = """
200 200 200 200 200 200 200 200 200 403  GET /v1/inbox
200 200 200 200 200 200 200 200 200 403  GET /v1/inbox/counts
200 200 200 200 200 200 200 200 200 403  POST /v1/inbox/read
200 200 200 200 200 200 200 200 200 403  GET /v1/requests/sent
201 201 201 201 201 201 201 201 201 422  POST /v1/threads
200 200 200 200 200 200 200 200 200 403  PUT /v1/direct/{userId}
200 200 200 200 200 200 200 200 200 403  GET /v1/projects/legs/{legId}/threads
200 200 200 200 200 200 200 200 200 403  GET /v1/projects/groups/{lbgId}/threads
404 200 404 200 200 200 404 404 200 403  GET /v1/threads/{threadId}
404 200 404 200 200 200 404 404 200 403  GET /v1/threads/{threadId}/messages
404 200 404 200 200 200 404 404 200 403  POST /v1/preview
404 201 404 201 409 201 404 404 201 403  POST /v1/threads/{threadId}/messages
404 201 404 201 409 201 404 404 201 403  POST /v1/threads/{threadId}/scheduled-messages
200 200 200 200 200 200 200 200 200 403  GET /v1/scheduled-messages
404 404 404 404 404 200 404 404 200 403  GET /v1/scheduled-messages/{scheduledMessageId}
404 404 404 404 404 200 404 404 200 403  PATCH /v1/scheduled-messages/{scheduledMessageId}
404 404 404 404 404 200 404 404 200 403  POST /v1/scheduled-messages/{scheduledMessageId}/send
404 404 404 404 404 204 404 404 204 403  DELETE /v1/scheduled-messages/{scheduledMessageId}
404 200 404 200 200 200 404 404 200 403  GET /v1/threads/{threadId}/messages/{messageId}
404 200 404 200 403 200 404 404 200 403  PATCH /v1/threads/{threadId}/messages/{messageId}
404 200 404 200 200 200 404 404 200 403  GET /v1/threads/{threadId}/messages/{messageId}/edits
404 200 404 200 409 200 404 404 200 403  PUT /v1/threads/{threadId}/messages/{messageId}/reactions/{emoji}
404 200 404 200 409 200 404 404 200 403  DELETE /v1/threads/{threadId}/messages/{messageId}/reactions/{emoji}
404 200 404 200 403 200 404 404 200 403  DELETE /v1/threads/{threadId}/messages/{messageId}
404 200 404 200 200 200 404 404 200 403  PUT /v1/threads/{threadId}/read
404 204 404 204 204 204 404 404 204 403  PUT /v1/threads/{threadId}/delivered
404 200 404 200 200 200 404 404 200 403  PUT /v1/threads/{threadId}/unread
404 200 404 200 200 200 404 404 200 403  PATCH /v1/threads/{threadId}/mine
404 200 404 200 200 200 404 404 200 403  PUT /v1/threads/{threadId}/draft
404 200 404 200 200 200 404 404 200 403  GET /v1/threads/{threadId}/draft
404 204 404 204 204 204 404 404 204 403  DELETE /v1/threads/{threadId}/draft
404 403 404 200 409 403 404 404 403 200  PATCH /v1/threads/{threadId}
404 403 404 403 409 403 404 404 403 200  PATCH /v1/threads/{threadId}/participants/{userId}
404 403 404 403 409 403 404 404 403 201  POST /v1/threads/{threadId}/system-messages
404 403 404 201 409 403 404 404 403 403  POST /v1/threads/{threadId}/participants
404 403 404 403 403 403 200 200 403 403  POST /v1/threads/{threadId}/lock
404 403 404 403 403 403 200 200 403 403  POST /v1/threads/{threadId}/unlock
404 404 404 404 404 200 404 404 200 403  GET /v1/threads/{threadId}/held/{clientMessageId}
404 404 404 204 404 404 404 404 404 403  DELETE /v1/requests/{requestId}
404 204 404 204 204 204 404 404 204 403  DELETE /v1/threads/{threadId}/participants/{userId}
404 404 404 404 200 404 404 404 404 403  POST /v1/requests/{requestId}/accept
404 404 404 404 204 404 404 404 404 403  POST /v1/requests/{requestId}/decline
404 404 404 404 204 404 404 404 404 403  POST /v1/requests/{requestId}/block
"""  # noqa: E501
