"""What one node remembers for a few minutes: who said the same thing how often, and since when
somebody has had an account. Bounded; whoever is forgotten is judged a little more kindly."""

from collections import OrderedDict
from dataclasses import dataclass, field

from greenroom.ids import UserId

_TEN_MINUTES_MS = 600_000
_MOST_PEOPLE = 20_000
_MOST_TEXTS = 40


@dataclass(slots=True)
class _Said:
    """Side by side, oldest first: most texts are new, and of these only `digests` is looked at."""

    digests: list[bytes] = field(default_factory=list)
    times_ms: list[int] = field(default_factory=list)


class Memory:
    def __init__(self, *, most_people: int = _MOST_PEOPLE, most_texts: int = _MOST_TEXTS) -> None:
        self._most_people = most_people
        self._most_texts = most_texts
        self._texts: OrderedDict[UserId, _Said] = OrderedDict()
        self._joined: OrderedDict[UserId, tuple[int, int | None]] = OrderedDict()

    def said(self, user: UserId, digest: bytes, now_ms: int) -> int:
        """How often the user has said this in the last ten minutes before; and now once more."""
        said = self._texts.get(user)
        if said is None:
            said = self._texts[user] = _Said()
            if len(self._texts) > self._most_people:
                self._texts.popitem(last=False)
        else:
            self._texts.move_to_end(user)
        before = _times(said, digest, now_ms) if digest in said.digests else 0
        said.digests.append(digest)
        said.times_ms.append(now_ms)
        if len(said.digests) > self._most_texts:
            del said.digests[0], said.times_ms[0]
        return before

    def unsay(self, user: UserId, digest: bytes) -> None:
        """The last time that the user said this does not count after all."""
        said = self._texts.get(user)
        if said is not None and digest in said.digests:
            last = len(said.digests) - 1 - said.digests[::-1].index(digest)
            del said.digests[last], said.times_ms[last]

    def times(self, user: UserId, digest: bytes, now_ms: int) -> int:
        """How often the user has said this in the last ten minutes."""
        said = self._texts.get(user)
        return 0 if said is None else _times(said, digest, now_ms)

    def joined(self, user: UserId, now_ms: int) -> tuple[int | None] | None:
        """When the user joined, in a tuple; None where that has to be looked up (again)."""
        known = self._joined.get(user)
        if known is None or abs(now_ms - known[0]) >= _TEN_MINUTES_MS:
            return None
        self._joined.move_to_end(user)
        return (known[1],)

    def keep_joined(self, user: UserId, joined_ms: int | None, now_ms: int) -> None:
        self._joined[user] = (now_ms, joined_ms)
        self._joined.move_to_end(user)
        if len(self._joined) > self._most_people:
            self._joined.popitem(last=False)


def _times(said: _Said, digest: bytes, now_ms: int) -> int:
    both = zip(said.digests, said.times_ms, strict=True)
    return sum(one == digest and abs(now_ms - at) < _TEN_MINUTES_MS for one, at in both)
