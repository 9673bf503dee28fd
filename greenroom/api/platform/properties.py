"""Descriptions and lengths of the properties of problems and sync."""

from collections.abc import Mapping

from greenroom.api.openapi.property import (
    Property,
    described,
    text_property,
)
from greenroom.errors import MAX_CODE, MAX_DETAIL
from greenroom.messaging.text import MAX_TEXT

_MAX_PROBLEM_TYPE = len("/problems/") + MAX_CODE
_NEW_TEXT = Property("The text, as it was typed.", max_length=MAX_TEXT, min_length=1)

PROPERTIES: Mapping[str, Property] = {
    "ProblemDocument.type": text_property(
        "The stable name of the problem, as a path.", _MAX_PROBLEM_TYPE
    ),
    "ProblemDocument.title": text_property("What kind of problem it is.", MAX_CODE),
    "ProblemDocument.status": described("The HTTP status."),
    "ProblemDocument.detail": text_property(
        "What happened and what to do next, as a sentence.", MAX_DETAIL
    ),
}


PARAMETERS: Mapping[str, str] = {
    "limit": "The most entries to return.",
}
