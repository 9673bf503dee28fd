"""Writes `Content-Disposition`: what a browser does with a file, and what it saves it as."""

import re
from urllib.parse import quote

_NOT_PLAIN = re.compile(r"[^A-Za-z0-9 ._()!#$&+@^`{}~\[\]-]", re.ASCII)


def content_disposition(file_name: str, *, inline: bool) -> str:
    """Both forms of RFC 6266: `filename` for old clients, without what they read differently, and
    `filename*` with every letter."""
    kind = "inline" if inline else "attachment"
    if not file_name:
        return kind
    plain = _NOT_PLAIN.sub("_", file_name)
    if plain == file_name:
        return f'{kind}; filename="{plain}"'
    encoded = quote(file_name.encode("utf-8", "replace"), safe="")
    return f"{kind}; filename=\"{plain}\"; filename*=UTF-8''{encoded}"
