"""Tracks a follower's position in each shard of a stream, and encodes it as a checkpoint.

A finished shard stays in the checkpoint until one of its children is started. From then on the
child shows that it is finished.
"""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping

import msgspec

from greenroom.store.problems import InvalidCursor

_STARTED = ""
_ENDED = "end"


class StreamCheckpoint:
    def __init__(self, stream: str, last: dict[str, str] | None = None) -> None:
        self._stream = stream
        self._last = last or {}
        """By shard: the last sequence number read, or _STARTED, or _ENDED."""
        self._parents: Mapping[str, str | None] = {}

    @classmethod
    def parse(cls, checkpoint: str) -> "StreamCheckpoint":
        try:
            padded = checkpoint.encode("ascii") + b"=" * (-len(checkpoint) % 4)
            raw = urlsafe_b64decode(padded)
            stream, last = msgspec.msgpack.decode(raw, type=tuple[str, dict[str, str]])
        except (ValueError, msgspec.MsgspecError):
            raise InvalidCursor from None
        if not stream or not last or not all(map(_is_valid_position, last.values())):
            raise InvalidCursor
        return cls(stream, last)

    def checkpoint(self) -> str:
        raw = msgspec.msgpack.encode((self._stream, self._last))
        return urlsafe_b64encode(raw).rstrip(b"=").decode()

    def matches_stream(self, stream: str) -> bool:
        self._stream = self._stream or stream
        return self._stream == stream

    def set_shards(self, parents: Mapping[str, str | None]) -> bool:
        """Sets the shards of the stream. False if one was dropped before it was finished."""
        self._parents = parents
        if self._last and any(map(self._is_unknown, parents)):
            return False
        for shard, last in list(self._last.items()):
            if shard not in parents:
                if last != _ENDED or shard not in parents.values():
                    return False
                del self._last[shard]
        return True

    def _is_unknown(self, shard: str) -> bool:
        """Whether its parent was dropped before it was read."""
        parent = self._parents[shard]
        is_first_kept = parent is not None and parent not in self._parents
        return is_first_kept and not (
            shard in self._last or parent in self._last or shard in self._done()
        )

    def at_newest(self, parents: Mapping[str, str | None]) -> "StreamCheckpoint":
        """At the beginning of the shards that no other continues."""
        leaves = set(parents) - set(parents.values())
        return StreamCheckpoint(self._stream, dict.fromkeys(sorted(leaves), _STARTED))

    def shards_to_read(self) -> list[str]:
        """The unfinished shards whose parents are finished. Starts the new ones."""
        done = self._done()
        for shard, parent in self._parents.items():
            if shard in self._last or shard in done:
                continue
            if parent is None or parent not in self._parents or parent in done:
                self._last[shard] = _STARTED
        self._forget_continued()
        return [shard for shard, last in self._last.items() if last != _ENDED]

    def last(self, shard: str) -> str:
        return self._last[shard]

    def advance(self, shard: str, sequence_number: str) -> None:
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


def _is_valid_position(last: str) -> bool:
    return last in (_STARTED, _ENDED) or (last.isascii() and last.isdigit())
