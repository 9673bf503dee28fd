"""Decides whether a client has the current version of a document or file, by `If-None-Match`."""

from typing import Any

from litestar import Request


def has_current(request: Request[Any, Any, Any], etag: str) -> bool:
    """Whether the header names this ETag: strong or weak, alone, in a list, or as `*`."""
    named = request.headers.get("if-none-match", "").split(",")
    return not {etag, f"W/{etag}", "*"}.isdisjoint(one.strip() for one in named)
