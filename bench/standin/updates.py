"""Parses DynamoDB's update expressions into functions that make the new item from the old."""

from collections.abc import Callable
from decimal import Context, Decimal
from functools import lru_cache
from typing import Any, TypeAlias

from bench.standin.conditions import Attribute, Image, Names, Tokens, Unknown, Values, find

Work: TypeAlias = dict[str, Any]
"""An item that is being changed."""
Step: TypeAlias = Callable[[Work, Names, Values], None]
_EXACT = Context(prec=1000)
NO_MAP = "The document path provided in the update expression is invalid for update"
WRONG_TYPE = "An operand in the update expression has an incorrect data type"


class Misfit(Exception):
    """An update that does not fit the current item."""


@lru_cache(4096)
def update(text: str) -> Callable[[Image, Names, Values], Work]:
    tokens = Tokens(text)
    steps: list[Step] = []
    while tokens.peek():
        parse = _CLAUSES[tokens.take(*_CLAUSES)]
        steps.append(parse(tokens))
        while tokens.takes(","):
            steps.append(parse(tokens))

    def updated(item: Image, names: Names, values: Values) -> Work:
        work = dict(item)
        for step in steps:
            step(work, names, values)
        return work

    return updated


def only_removes(text: str) -> bool:
    """Whether the update makes no item where there is none."""
    words = text.split(" ")
    return "SET" not in words and "ADD" not in words


def _set(tokens: Tokens) -> Step:
    path, _ = tokens.path(), tokens.take("=")
    source = _source(tokens)

    def step(work: Work, names: Names, values: Values) -> None:
        value = source(work, names, values)
        _holder(path, work, names)[names[path[-1]]] = value

    return step


def _source(tokens: Tokens) -> Callable[[Image, Names, Values], Attribute]:
    if tokens.takes("if_not_exists"):
        return _default(tokens)
    if tokens.takes("list_append"):
        tokens.take("(")
        first, _, second, _ = _source(tokens), tokens.take(","), _source(tokens), tokens.take(")")

        def joined(work: Image, names: Names, values: Values) -> Attribute:
            one, other = first(work, names, values), second(work, names, values)
            if "L" not in one or "L" not in other:
                raise Misfit(WRONG_TYPE)
            return {"L": [*one["L"], *other["L"]]}

        return joined
    mark = tokens.value()
    return lambda work, names, values: values[mark]


def _default(tokens: Tokens) -> Callable[[Image, Names, Values], Attribute]:
    tokens.take("(")
    path, _, mark = tokens.path(), tokens.take(","), tokens.value()
    tokens.take(")")

    def standing(work: Image, names: Names, values: Values) -> Attribute:
        found = find(path, work, names)
        return values[mark] if found is None else found

    return standing


def _add(tokens: Tokens) -> Step:
    path, mark = tokens.path(), tokens.value()

    def step(work: Work, names: Names, values: Values) -> None:
        holder, name, amount = _holder(path, work, names), names[path[-1]], values[mark]
        ((kind, value),) = amount.items()
        old = holder.get(name)
        if old is None:
            holder[name] = amount
        elif kind not in old:
            raise Misfit(WRONG_TYPE)
        elif kind == "N":
            holder[name] = {"N": _sum(old["N"], value)}
        else:
            holder[name] = {kind: list(dict.fromkeys([*old[kind], *value]))}

    return step


def _sum(one: str, other: str) -> str:
    total = _EXACT.add(Decimal(one), Decimal(other))
    if total == total.to_integral_value():
        return str(int(total))
    return str(_EXACT.normalize(total))


def _delete(tokens: Tokens) -> Step:
    path, mark = tokens.path(), tokens.value()

    def step(work: Work, names: Names, values: Values) -> None:
        holder, name, ((kind, members),) = (
            _holder(path, work, names),
            names[path[-1]],
            values[mark].items(),
        )
        old = holder.get(name)
        if old is None:
            return
        if kind not in old:
            raise Misfit(WRONG_TYPE)
        left = [member for member in old[kind] if member not in members]
        if left:
            holder[name] = {kind: left}
        else:
            del holder[name]

    return step


def _remove(tokens: Tokens) -> Step:
    path = tokens.path()

    def step(work: Work, names: Names, values: Values) -> None:
        _holder(path, work, names).pop(names[path[-1]], None)

    return step


def _holder(path: tuple[str, ...], work: Work, names: Names) -> Work:
    """The map that holds the path's last name, copied on the way so that the old item stays."""
    holder = work
    for step in path[:-1]:
        inner = holder.get(names[step])
        if inner is None or "M" not in inner:
            raise Misfit(NO_MAP)
        copy = dict(inner["M"])
        holder[names[step]] = {"M": copy}
        holder = copy
    return holder


_CLAUSES: dict[str, Callable[[Tokens], Step]] = {
    "SET": _set,
    "ADD": _add,
    "DELETE": _delete,
    "REMOVE": _remove,
}

__all__ = ["Misfit", "Unknown", "only_removes", "update"]
