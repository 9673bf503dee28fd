"""The access matrix: the status that each route returns to each kind of caller.

A context registers its rows; docs/reference/access.md shows all of them, and tests/api calls every
route as every caller. A row has a status for each caller, in the order of `CALLERS`, and the route.
"""

from collections.abc import Iterator, Mapping

CALLERS: Mapping[str, str] = {
    "stranger": "somebody who has nothing to do with the conversation",
    "blocked": "somebody whom the other participant has blocked",
    "left": "somebody who has left the conversation",
    "sender": "somebody whose request waits for an answer",
    "target": "the person who is asked",
    "member": "a participant",
    "moderator": "a moderator who does not take part",
    "admin": "an admin who does not take part",
    "service": "a service that acts for a participant",
    "bare service": "a service that acts for nobody",
}
"""Without a valid token every route answers 401, and for a suspended account 403."""


def rows(matrix: str) -> Iterator[tuple[str, dict[str, int]]]:
    """Each route with the status for each caller."""
    for line in matrix.splitlines():
        if line[:1].isdigit():
            *statuses, method, path = line.split()
            yield f"{method} {path}", dict(zip(CALLERS, map(int, statuses), strict=True))
