"""Shortens a sequence while it still shows a disagreement.

Hypothesis's own shrinking runs thousands of sequences. Leaving out one part after another (a step,
an op, an action, an attribute, a condition) takes a few dozen, with as short a result.
"""

from collections.abc import Callable, Iterator, Sequence

import msgspec

from greenroom.store.base import Check, Op, Put, Update
from tests.contracts.sequences import Step, Write


def shrink(sequence: Sequence[Step], shows: Callable[[list[Step]], bool]) -> list[Step]:
    found = list(sequence)
    place = 0
    while place < len(found):
        for shorter in _shorter(found[place]):
            candidate = [*found[:place], *shorter, *found[place + 1 :]]
            if shows(candidate):
                found = candidate
                break
        else:
            place += 1
    return found


def _shorter(step: Step) -> Iterator[list[Step]]:
    """Replacements for the step: nothing, or a step with one part less."""
    yield []
    if isinstance(step, Write):
        for place, op in enumerate(step.ops):
            before, after = step.ops[:place], step.ops[place + 1 :]
            if before or after:
                yield [Write(before + after, step.token)]
            for less in _less(op):
                yield [Write((*before, less, *after), step.token)]


def _less(op: Op) -> Iterator[Op]:
    if op.condition is not None and not isinstance(op, Check):
        yield msgspec.structs.replace(op, condition=None)
    if isinstance(op, Put):
        for name in op.item:
            if name not in op.table.key_names:
                rest = {other: op.item[other] for other in op.item if other != name}
                yield msgspec.structs.replace(op, item=rest)
    if isinstance(op, Update) and len(op.actions) > 1:
        for place in range(len(op.actions)):
            rest_of = op.actions[:place] + op.actions[place + 1 :]
            yield msgspec.structs.replace(op, actions=rest_of)
