"""Makes the large version of an animation move, if that is cheap; otherwise it stays a still. Picks
frames for the rater and for hashes."""

import time
from bisect import bisect_right
from collections.abc import Iterator
from contextlib import suppress
from itertools import accumulate
from pathlib import Path
from typing import Final

from msgspec.structs import replace
from PIL import Image, ImageSequence

from greenroom.files.decoder.jobs import MOST_FRAMES, Decoded, Made
from greenroom.files.decoder.picture import Color, bare, fitting, on_ground, resized
from greenroom.files.decoder.problems import NotDecodable, decoding
from greenroom.files.decoder.versions import FRAME_SIDE, WEBP
from greenroom.files.models import Variant

_SIDE: Final = 720
_MOST_PIXELS: Final = 20_000_000
"""Over all frames of the version."""
_MOST_SECONDS: Final = 4.0
_QUALITY, _METHOD = 70, 0
_SHORTEST_MS, _LONGEST_MS = 20, 60_000


def with_animation(still: Decoded, path: Path, format: str, folder: Path, ground: Color) -> Decoded:
    """Replaces the large version. Its first frame decides how large it is."""
    draft = folder / "animation"
    with suppress(NotDecodable), decoding(), Image.open(path, formats=(format,)) as image:
        size = _write(image, draft, ground)
        if size is None:
            return still
        draft.replace(folder / Variant.LARGE.value)
        return _with_large(still, size)
    draft.unlink(missing_ok=True)
    return still


def later_frames(path: Path, format: str, ground: Color) -> list[Image.Image]:
    """What is shown after a fifth of its time, two fifths, and so on: nothing that is shown for a
    fifth of the time is left out."""
    small, durations = list[Image.Image](), list[int]()
    with suppress(NotDecodable), decoding(), Image.open(path, formats=(format,)) as image:
        for frame in _frames(image, fitting(image.size, FRAME_SIDE), durations, ground):
            small.append(frame)
    if not small:
        return []
    shown_until = list(accumulate(durations[: len(small)]))
    fifths = [shown_until[-1] * part // MOST_FRAMES for part in range(1, MOST_FRAMES)]
    chosen = {min(bisect_right(shown_until, at), len(small) - 1) for at in fifths}
    return [small[at] for at in sorted(chosen - {0})]


def _write(image: Image.Image, draft: Path, ground: Color) -> tuple[int, int] | None:
    size = fitting(image.size, _SIDE)
    if size[0] * size[1] * int(getattr(image, "n_frames", 1)) > _MOST_PIXELS:
        return None
    durations = list[int]()
    frames = _frames(image, size, durations, ground)
    first = next(frames)
    rest = list(frames)
    first.save(
        draft,
        "WEBP",
        save_all=True,
        append_images=rest,
        duration=durations,
        loop=0,
        quality=_QUALITY,
        method=_METHOD,
    )
    return size


def _frames(
    image: Image.Image, size: tuple[int, int], durations: list[int], ground: Color
) -> Iterator[Image.Image]:
    begun = time.monotonic()
    for frame in ImageSequence.Iterator(image):
        if time.monotonic() - begun > _MOST_SECONDS:
            raise NotDecodable("too slow")
        frame.load()  # of a WebP the duration is known only then
        shown_ms = int(frame.info.get("duration") or 100)
        durations.append(min(max(shown_ms, _SHORTEST_MS), _LONGEST_MS))
        has_alpha = "transparency" in frame.info or "A" in frame.getbands()
        small = resized(frame.convert("RGBA" if has_alpha else "RGB"), size)
        yield bare(on_ground(small, ground))


def _with_large(still: Decoded, size: tuple[int, int]) -> Decoded:
    large = Made(Variant.LARGE, WEBP, *size)
    previews = (large if one.variant is Variant.LARGE else one for one in still.previews)
    return replace(still, previews=tuple(previews))
