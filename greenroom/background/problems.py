"""Refusals of commands and routes that repair background work."""

from greenroom.errors import Clause, Problem


class FollowerNotFound(Problem):
    """There is no follower named {follower}. {known}."""

    follower: str
    known: Clause


class ChangeNotSetAside(Problem):
    """No change with the number {number} is set aside for {follower}."""

    follower: str
    number: int


class TimerNotSetAside(Problem):
    """No timer of the kind {kind} with the id {timer_id} is set aside."""

    kind: str
    timer_id: str


class TimerKindNotFound(Problem):
    """There are no timers of the kind {kind}. {known}."""

    kind: str
    known: Clause


class NotComparable(Problem):
    """{follower} does not say how its result is compared with its table."""

    follower: str
