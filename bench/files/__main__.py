"""`make bench-files`: uploads, downloads, photos, ratings, and what chat pays for them.

Uploads (tus) and downloads (signed URLs) of one file of 256 MB take turns with a bare copy of it
over loopback, which does nothing but `recv` and `write`, or `read` and `send`. An upload and its
bare copy both end with an fsync. The photos are checked on one core. The last line is JSON.
"""

import argparse
import asyncio
import os
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

import uvloop
from msgspec import Struct

from bench.chat_load import percentile
from bench.files import chat, checks, rating, transfers
from bench.files.client import FilesClient
from bench.peers.greenroom import Greenroom
from bench.peers.processes import family
from bench.report import last_line, table


class Figures(Struct, frozen=True):
    transfers: transfers.Transfers
    photos: list[float]
    """Seconds of each, sorted."""
    videos: list[float]
    rated_per_s: float | None
    chat: chat.Chat


def main() -> int:
    chosen = _options().parse_args()
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        figures = runner.run(_run(chosen))
    _show(figures)
    return 0


def _options() -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    options.add_argument("--mb", type=int, default=256, help="of the file that is moved")
    options.add_argument("--rounds", type=int, default=7)
    options.add_argument("--photos", type=int, default=100)
    options.add_argument("--videos", type=int, default=5)
    options.add_argument("--rated", type=int, default=300)
    options.add_argument("--uploads", type=int, default=20)
    options.add_argument("--mb-per-s", type=float, default=2.0, help="of each of the uploads")
    options.add_argument("--seconds", type=float, default=10.0, help="of each round of chat")
    return options


async def _run(chosen: argparse.Namespace) -> Figures:
    with tempfile.TemporaryDirectory(prefix="bench-files-") as name:
        folder = Path(name)
        server = Greenroom(folder / "data")
        try:
            await server.start()
            client = await asyncio.to_thread(FilesClient, server.url, "usr_filer")
            moved = await asyncio.to_thread(_transfers, client, folder, chosen)
            (pair,) = await server.pairs(1)
            talked = await chat.measure(
                server.url,
                pair,
                uploads=chosen.uploads,
                mb_per_s=chosen.mb_per_s,
                rounds=min(chosen.rounds, 5),
                seconds=chosen.seconds,
                say=_say,
            )
            photos, videos = await asyncio.to_thread(_checks, server, client, chosen)
        finally:
            await server.stop()
    return Figures(moved, photos, videos, await rating.rated_per_s(chosen.rated, _say), talked)


def _transfers(
    client: FilesClient, folder: Path, chosen: argparse.Namespace
) -> transfers.Transfers:
    source = folder / "source"
    with source.open("wb") as file:
        for _ in range(chosen.mb):
            file.write(os.urandom(1_000_000))
    return transfers.measure(client, folder, source, chosen.rounds, _say)


def _checks(
    server: Greenroom, client: FilesClient, chosen: argparse.Namespace
) -> tuple[list[float], list[float]]:
    """On one core, with all that the server has started."""
    pictures = [checks.photo(number) for number in range(min(chosen.photos, 5))]
    checks.ready_seconds(client, "first.jpg", pictures[0])  # starts the decoder
    for pid in family(server.pids()):
        os.sched_setaffinity(pid, {min(os.sched_getaffinity(0))})
    photos = [
        checks.ready_seconds(client, f"photo{number}.jpg", pictures[number % len(pictures)])
        for number in range(chosen.photos)
    ]
    _say(f"{len(photos)} photos are ready")
    clip = checks.video() if chosen.videos else None
    videos = [
        checks.ready_seconds(client, f"clip{number}.mp4", clip)
        for number in range(chosen.videos)
        if clip is not None
    ]
    return sorted(photos), sorted(videos)


def _show(found: Figures) -> None:
    moved = found.transfers
    rows = [
        ["upload", moved.mb_per_s(moved.upload), moved.mb_per_s(moved.bare_upload)],
        ["download", moved.mb_per_s(moved.download), moved.mb_per_s(moved.bare_download)],
    ]
    shown = [[str(row[0]), *(f"{figure:.0f}" for figure in row[1:])] for row in rows]
    print(table(["MB/s", "greenroom", "bare copy"], shown))
    photo = [percentile(found.photos, percent) * 1000 for percent in (50, 99)]
    print(f"\na photo of 12 megapixels is ready after {photo[0]:.0f} ms, p99 {photo[1]:.0f} ms")
    if found.videos:
        print(f"a video of 10 seconds after {statistics.median(found.videos):.1f} s")
    alone, beside = map(statistics.median, (found.chat.alone, found.chat.beside_uploads))
    print(f"a chat message has a p99 of {alone:.2f} ms, beside the uploads {beside:.2f} ms\n")
    last_line(_figures(found, photo, alone, beside))


def _figures(found: Figures, photo: list[float], alone: float, beside: float) -> dict[str, Any]:
    moved, rated = found.transfers, found.rated_per_s
    return {
        "upload_mb_per_s": round(moved.mb_per_s(moved.upload)),
        "download_mb_per_s": round(moved.mb_per_s(moved.download)),
        "upload_vs_bare": round(moved.upload_vs_bare, 2),
        "download_vs_bare": round(moved.download_vs_bare, 2),
        "photo_p50_ms": round(photo[0]),
        "photo_p99_ms": round(photo[1]),
        "video_s": round(statistics.median(found.videos), 2) if found.videos else None,
        "rated_per_s": None if rated is None else round(rated),
        "chat_p99_ms": round(alone, 2),
        "chat_p99_ms_beside_uploads": round(beside, 2),
        "chat_p99_ratio": round(found.chat.ratio, 2),
    }


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
