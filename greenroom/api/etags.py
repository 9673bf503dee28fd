"""Converts versions to `ETag` and back from `If-Match`: a strong tag of one number, as in `"3"`."""

import re
from typing import Annotated, TypeAlias

from litestar.exceptions import ValidationException
from litestar.params import HeaderParameter

IfMatch: TypeAlias = Annotated[
    str | None,
    HeaderParameter(
        name="If-Match",
        max_length=64,
        description="The `ETag` that you last read. If it has changed since, the call is refused.",
    ),
]


def etag(version: int) -> str:
    return f'"{version}"'


def version_in(if_match: str | None) -> int | None:
    if if_match is None or if_match.strip() == "*":
        return None
    found = re.fullmatch(r'"(\d{1,15})"', if_match.strip())
    if found is None:
        raise ValidationException(
            extra=[
                {"message": "If-Match must be one ETag from an earlier answer", "key": "If-Match"}
            ]
        )
    return int(found[1])


def tag_in(if_match: str | None) -> str | None:
    """The same for a version that is a string, such as that of a thread's settings."""
    if if_match is None or if_match.strip() == "*":
        return None
    found = re.fullmatch(r'"([0-9A-Za-z]{1,32})"', if_match.strip())
    if found is None:
        raise ValidationException(
            extra=[
                {"message": "If-Match must be one ETag from an earlier answer", "key": "If-Match"}
            ]
        )
    return found[1]
