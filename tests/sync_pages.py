"""Reads pages of `GET /v1/sync` and of the socket's `synced` in tests."""

from typing import Any


def inbox_in(page: dict[str, Any]) -> dict[str, Any]:
    """What a page says about the inbox: `threads` and `gone`."""
    found: dict[str, Any] = page.get("inbox", {"threads": [], "gone": []})
    return found


def notices_in(page: dict[str, Any]) -> dict[str, Any]:
    """What a page says about notices: `created` and `acknowledged`."""
    found: dict[str, Any] = page.get("notices", {"created": [], "acknowledged": []})
    return found
