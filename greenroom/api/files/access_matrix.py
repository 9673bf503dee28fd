"""The access matrix of files: each route's status for each kind of caller (`api/access.py`)."""

ACCESS = """
201 201 201 201 201 201 201 201 201 403  POST /v1/files
200 200 200 200 200 200 200 200 200 403  GET /v1/files
404 404 404 404 404 200 404 404 200 403  GET /v1/files/{fileId}
404 404 404 404 404 200 404 404 200 403  GET /v1/files/{fileId}/upload
404 404 404 404 404 200 404 404 200 403  POST /v1/files/{fileId}/complete
404 404 404 404 404 204 404 404 204 403  DELETE /v1/files/{fileId}
200 200 200 200 200 200 200 200 200 403  GET /v1/me/storage
201 201 201 201 201 201 201 201 201 403  POST /v1/uploads
404 404 404 404 404 200 404 404 200 403  GET /v1/uploads/{fileId}
404 404 404 404 404 204 404 404 204 403  PATCH /v1/uploads/{fileId}
404 404 404 404 404 204 404 404 204 403  DELETE /v1/uploads/{fileId}
200 200 200 200 200 200 200 200 200 403  GET /v1/me/file-preferences
200 200 200 200 200 200 200 200 200 403  PUT /v1/me/file-preferences
200 200 200 200 200 200 200 200 200 403  POST /v1/file-urls
404 404 404 404 404 201 404 404 201 403  POST /v1/files/{fileId}/appeals
403 403 403 403 403 403 200 200 403 403  PUT /v1/moderation/files/{fileId}/band
403 403 403 403 403 403 200 200 403 403  POST /v1/moderation/files/{fileId}/urls
"""
