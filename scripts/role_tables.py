"""Writes the tables of docs/reference/roles.md: who may do what in a conversation."""

from collections.abc import Mapping

from greenroom.messaging.models import Kind
from greenroom.messaging.roles import CREATION, TABLE, Operation, Part


def thread_roles() -> str:
    """One table for each group of kinds that share all their rules."""
    return "\n".join(_table(kinds) for kinds in _alike().values())


def _alike() -> Mapping[object, list[Kind]]:
    groups: dict[object, list[Kind]] = {}
    for kind in Kind:
        rules = tuple(sorted(TABLE[operation][kind]) for operation in Operation)
        groups.setdefault(str(rules), []).append(kind)
    return groups


def _table(kinds: list[Kind]) -> str:
    names = ", ".join(f"`{kind}`" for kind in kinds)
    header = " | ".join(Part)
    rows = "".join(
        f"| {operation} | {' | '.join(_marks(operation, kinds[0]))} |\n" for operation in Operation
    )
    return f"### {names}\n\n| | {header} |\n|{' --- |' * (len(Part) + 1)}\n{rows}"


def _marks(operation: Operation, kind: Kind) -> list[str]:
    return ["yes" if part in TABLE[operation][kind] else "" for part in Part]


def thread_openings() -> str:
    rows = "".join(
        f"| `{kind}` | {' | '.join(_who(allowed[kind]) for allowed in CREATION.values())} |\n"
        for kind in Kind
    )
    return f"| kind | {' | '.join(CREATION)} |\n| --- | --- | --- |\n{rows}"


def _who(everybody: bool) -> str:
    return "everybody" if everybody else "moderators and services"
