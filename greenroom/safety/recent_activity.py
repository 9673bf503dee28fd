"""Remembers, on one node and for ten minutes, how often users sent the same text and when they
joined. Bounded: a user who was forgotten is judged a little more leniently."""

from dataclasses import dataclass, field

from greenroom.ids import UserId
from greenroom.lru import LruCache

_TEN_MINUTES_MS = 600_000
_MOST_PEOPLE = 20_000
_MOST_TEXTS = 40


@dataclass(slots=True)
class _RecentTexts:
    """Parallel lists, oldest first: for a new text, which most are, only `digests` is read."""

    digests: list[bytes] = field(default_factory=list)
    times_ms: list[int] = field(default_factory=list)


class RecentActivity:
    def __init__(self, *, most_people: int = _MOST_PEOPLE, most_texts: int = _MOST_TEXTS) -> None:
        self._most_texts = most_texts
        self._texts: LruCache[UserId, _RecentTexts] = LruCache(most_people)
        self._joined: LruCache[UserId, tuple[int, int | None]] = LruCache(most_people)

    def add_text(self, user: UserId, digest: bytes, now_ms: int) -> int:
        """Adds the text; returns how often the user sent it in the ten minutes before."""
        texts = self._texts.get(user)
        if texts is None:
            texts = _RecentTexts()
            self._texts.put(user, texts)
        before = _count(texts, digest, now_ms) if digest in texts.digests else 0
        texts.digests.append(digest)
        texts.times_ms.append(now_ms)
        if len(texts.digests) > self._most_texts:
            del texts.digests[0], texts.times_ms[0]
        return before

    def remove_text(self, user: UserId, digest: bytes) -> None:
        """Removes the latest entry of this text."""
        texts = self._texts.peek(user)
        if texts is not None and digest in texts.digests:
            last = len(texts.digests) - 1 - texts.digests[::-1].index(digest)
            del texts.digests[last], texts.times_ms[last]

    def count_text(self, user: UserId, digest: bytes, now_ms: int) -> int:
        """How often the user sent this text in the last ten minutes."""
        texts = self._texts.get(user)
        return 0 if texts is None else _count(texts, digest, now_ms)

    def joined(self, user: UserId, now_ms: int) -> tuple[int | None] | None:
        """When the user joined, in a tuple; None if it has to be read from the store."""
        known = self._joined.get(user)
        if known is None or abs(now_ms - known[0]) >= _TEN_MINUTES_MS:
            return None
        return (known[1],)

    def set_joined(self, user: UserId, joined_ms: int | None, now_ms: int) -> None:
        self._joined.put(user, (now_ms, joined_ms))


def _count(texts: _RecentTexts, digest: bytes, now_ms: int) -> int:
    both = zip(texts.digests, texts.times_ms, strict=True)
    return sum(one == digest and abs(now_ms - at) < _TEN_MINUTES_MS for one, at in both)
