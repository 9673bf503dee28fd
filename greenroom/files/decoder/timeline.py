"""Finds out when the pictures of a video are shown.

Careful: what a header says about that may be wrong, on purpose. Players go by the packets.
"""

from bisect import bisect_right
from math import isfinite
from pathlib import Path
from typing import Final

from msgspec import Struct

from greenroom.files.decoder.ffmpeg import Stream, ffprobe, source
from greenroom.files.decoder.jobs import MOST_FRAMES
from greenroom.files.decoder.problems import NotDecodable

_MOST_PACKETS: Final = 800_000
"""Nearly four hours of 60 pictures a second."""
_LIST_SECONDS: Final = 60
_LONGEST_SECONDS: Final = 1e9


class Timeline(Struct, frozen=True):
    times: list[float]
    """When a picture begins, in seconds, in order."""
    end: float = 0
    skipped: int = 0
    """Pictures that are only there because others need them."""
    is_whole: bool = True

    @property
    def duration(self) -> float:
        return self.end - self.times[0] if self.times else 0

    def shown_at(self, seconds: float) -> float:
        """When the picture began that is shown so long after the first one."""
        return self.times[max(0, bisect_right(self.times, self.times[0] + seconds) - 1)]

    def later(self) -> list[tuple[float, float]]:
        """The pictures after a fifth of the time, two fifths, and so on, each with one shown a
        tenth before it."""
        if not self.times:
            return []
        step = self.duration / MOST_FRAMES
        parts = range(1, MOST_FRAMES)
        pairs = ((self.shown_at(step * part), self.shown_at(step * (part - 0.5))) for part in parts)
        return list({at: (at, before) for at, before in pairs}.values())


def read_timeline(path: Path, format: str, stream: Stream) -> Timeline:
    arguments = (
        *("-select_streams", str(stream.index), "-read_intervals", f"%+#{_MOST_PACKETS}"),
        *("-show_entries", "packet=pts_time,dts_time,duration_time,flags", "-of", "csv=p=0"),
    )
    try:
        output = ffprobe((*arguments, *source(path, format)), seconds=_LIST_SECONDS)
    except NotDecodable:
        return Timeline([], is_whole=False)
    return _timeline(output.splitlines())


def _timeline(lines: list[bytes]) -> Timeline:
    times, end, skipped = list[float](), 0.0, 0
    for line in lines:
        presented, decoded, duration, flags, *_ = (*line.split(b","), *[b""] * 4)
        at = _seconds(presented)
        at = _seconds(decoded) if at is None else at
        if b"D" in flags:
            skipped += 1
        elif at is not None:
            times.append(at)
            end = max(end, at + (_seconds(duration) or 0))
    is_whole = bool(times) and len(lines) < _MOST_PACKETS and skipped * MOST_FRAMES <= len(times)
    return Timeline(sorted(times), end, skipped, is_whole)


def _seconds(said: bytes) -> float | None:
    try:
        found = float(said)
    except ValueError:
        return None
    return found if isfinite(found) and abs(found) < _LONGEST_SECONDS else None
