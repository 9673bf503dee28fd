"""A cursor that is a place in an order of our own, where a page is put together from several
queries: no engine's cursor would fit the next one."""

from base64 import urlsafe_b64decode, urlsafe_b64encode

from greenroom.store.problems import InvalidCursor

_LONGEST = 100


def cursor_of(place: str) -> str:
    return urlsafe_b64encode(place.encode()).decode().rstrip("=")


def place_in(cursor: str) -> str:
    try:
        place = urlsafe_b64decode(cursor.encode() + b"=" * (-len(cursor) % 4)).decode("ascii")
    except ValueError:
        raise InvalidCursor from None
    if not 0 < len(place) <= _LONGEST or not place.isprintable():
        raise InvalidCursor
    return place
