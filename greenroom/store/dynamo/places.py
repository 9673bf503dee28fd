"""How far a follower has come in each shard of a stream, and that as an opaque checkpoint.

A shard that has been read to its end stays on the list until a shard that continues it is begun;
from then on it is known to be done by having a descendant there.
"""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping

import msgspec

from greenroom.store.problems import InvalidCursor

_BEGUN = ""
_ENDED = "end"


class Places:
    def __init__(self, stream: str, last: dict[str, str] | None = None) -> None:
        self._stream = stream
        self._last = last or {}
        """By shard: the sequence number that was read last, or _BEGUN, or _ENDED."""
        self._parents: Mapping[str, str | None] = {}

    @classmethod
    def parse(cls, checkpoint: str) -> "Places":
        try:
            padded = checkpoint.encode("ascii") + b"=" * (-len(checkpoint) % 4)
            raw = urlsafe_b64decode(padded)
            stream, last = msgspec.msgpack.decode(raw, type=tuple[str, dict[str, str]])
        except (ValueError, msgspec.MsgspecError):
            raise InvalidCursor from None
        if not stream or not last or not all(map(_is_place, last.values())):
            raise InvalidCursor
        return cls(stream, last)

    def checkpoint(self) -> str:
        raw = msgspec.msgpack.encode((self._stream, self._last))
        return urlsafe_b64encode(raw).rstrip(b"=").decode()

    def belong_to(self, stream: str) -> bool:
        self._stream = self._stream or stream
        return self._stream == stream

    def know(self, parents: Mapping[str, str | None]) -> bool:
        """Takes in which shards there are; False where one is gone that was not read to its end."""
        self._parents = parents
        for shard, last in list(self._last.items()):
            if shard not in parents:
                if last != _ENDED:
                    return False
                del self._last[shard]
        return True

    def due(self) -> list[str]:
        """The shards to be read now, the new ones among them begun by being asked for."""
        done = self._done()
        for shard, parent in self._parents.items():
            if shard in self._last or shard in done:
                continue
            if parent is None or parent not in self._parents or parent in done:
                self._last[shard] = _BEGUN
        self._forget_continued()
        return [shard for shard, last in self._last.items() if last != _ENDED]

    def last(self, shard: str) -> str:
        return self._last[shard]

    def reach(self, shard: str, sequence_number: str) -> None:
        self._last[shard] = sequence_number

    def end(self, shard: str) -> None:
        self._last[shard] = _ENDED

    def _done(self) -> set[str]:
        done = {shard for shard, last in self._last.items() if last == _ENDED}
        for shard in self._last:
            parent = self._parents.get(shard)
            while parent is not None and parent not in done:
                done.add(parent)
                parent = self._parents.get(parent)
        return done

    def _forget_continued(self) -> None:
        for shard in {parent for child, parent in self._parents.items() if child in self._last}:
            if shard is not None and self._last.get(shard) == _ENDED:
                del self._last[shard]


def _is_place(last: str) -> bool:
    return last in (_BEGUN, _ENDED) or (last.isascii() and last.isdigit())
