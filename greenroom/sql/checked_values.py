"""Refuses the values of statements that one engine could store and the other one could not."""

from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import Engine, event

from greenroom.sql.problems import InvalidSqlValue

_LEAST, _MOST = -(2**63), 2**63 - 1


def check_values(engine: Engine) -> None:
    """Checks the values of every statement on this engine before it is sent."""
    event.listen(engine, "before_cursor_execute", _before_execute)


def _before_execute(
    connection: Any, cursor: Any, statement: str, parameters: Any, context: Any, many: bool
) -> None:
    for values in parameters if many else (parameters,):
        _check(values.values() if isinstance(values, Mapping) else values)


def _check(values: Iterable[object]) -> None:
    for value in values:
        if isinstance(value, str):
            if "\0" in value:
                raise InvalidSqlValue("text must not contain the character U+0000")
            if not value.isascii() and not _is_unicode(value):
                raise InvalidSqlValue("text must not contain half of a surrogate pair")
        elif isinstance(value, int) and not _LEAST <= value <= _MOST:
            raise InvalidSqlValue("numbers must fit in 64 bits")


def _is_unicode(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True
