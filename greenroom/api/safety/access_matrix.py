"""The access matrix of safety: each route's status for each kind of caller (`api/access.py`)."""

ACCESS = """
200 200 200 200 200 200 200 200 200 403  GET /v1/reports
404 201 404 201 201 201 404 404 201 403  POST /v1/reports
403 403 403 403 403 403 200 200 403 403  GET /v1/moderation/queue
403 403 403 403 403 403 200 200 403 403  GET /v1/moderation/cases/{caseId}
403 403 403 403 403 403 200 200 403 403  GET /v1/moderation/cases/{caseId}/reports
403 403 403 403 403 403 200 200 403 403  GET /v1/moderation/cases/{caseId}/context
403 403 403 403 403 403 200 200 403 403  POST /v1/moderation/cases/{caseId}/claim
403 403 403 403 403 403 200 200 403 403  POST /v1/moderation/cases/{caseId}/decide
403 403 403 403 403 403 200 200 403 403  GET /v1/moderation/cases/{caseId}/audit-log
403 403 403 403 403 403 200 200 403 403  GET /v1/moderation/audit-log
403 403 403 403 403 403 200 200 403 403  GET /v1/moderation/people/{userId}/audit-log
403 403 403 403 403 403 200 200 403 403  GET /v1/moderation/people/{userId}/sanctions
403 403 403 403 403 403 200 200 403 403  GET /v1/moderation/suspended
403 403 403 403 403 403 200 200 403 200  POST /v1/moderation/people/{userId}/reinstate
403 403 403 403 403 403 403 200 403 200  GET /v1/staff
403 403 403 403 403 403 403 200 403 200  PUT /v1/staff/{userId}
403 403 403 403 403 403 403 200 403 200  DELETE /v1/staff/{userId}
200 200 200 200 200 200 200 200 200 403  GET /v1/me/notices
404 404 404 404 404 204 404 404 204 403  POST /v1/me/notices/{noticeId}/acknowledge
200 200 200 200 200 200 200 200 200 403  GET /v1/me/held
200 200 200 200 200 200 200 200 200 403  PUT /v1/blocks/{userId}
200 200 200 200 200 200 200 200 200 403  GET /v1/blocks
204 204 204 204 204 204 204 204 204 403  DELETE /v1/blocks/{userId}
"""
