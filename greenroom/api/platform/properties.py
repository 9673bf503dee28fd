"""Descriptions and lengths of the properties of problems and sync."""

from collections.abc import Mapping

from greenroom.api.openapi.property import (
    Property,
    described,
    text_property,
)
from greenroom.api.sync import MAX_SOURCE
from greenroom.errors import MAX_CODE, MAX_DETAIL
from greenroom.store.cursors import MAX_CURSOR

_MAX_PROBLEM_TYPE = len("/problems/") + MAX_CODE

PROPERTIES: Mapping[str, Property] = {
    "cursor": text_property("Give it with the next call.", MAX_CURSOR),
    "more": described("Whether to call again at once."),
    "next": text_property("The cursor of the next page, or null on the last one.", MAX_CURSOR),
    "reset": text_property(
        "The sources whose part of the cursor no longer holds: load again what they show.",
        MAX_SOURCE,
    ),
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
