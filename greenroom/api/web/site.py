"""The files that Vite has built, read into memory once.

Careful: the build also writes compressed copies of a file, `.br` and `.gz`. They are not served
under their own names, but to browsers that accept the encoding.
"""

import mimetypes
from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path

import msgspec
from msgspec import Struct

BUILT = Path(__file__).parent / "built"
_COMPRESSED = {".br": "br", ".gz": "gzip"}  # the smallest first
_KINDS = {".js": "text/javascript", ".webmanifest": "application/manifest+json"}


class File(Struct, frozen=True):
    body: bytes
    media_type: str
    etag: str
    encoded: Mapping[str, bytes]
    """Compressed bodies by encoding, the smallest first."""

    def for_client(self, accepted: str) -> tuple[bytes, str | None]:
        """The body and its encoding."""
        taken = {_coding(part) for part in accepted.lower().split(",")}
        for name, body in self.encoded.items():
            if name in taken:
                return body, name
        return self.body, None


class Site(Struct, frozen=True):
    index: File
    files: Mapping[str, File]
    """Files by path, such as `assets/index-BQzAKfXY.js`."""
    pages: tuple[str, ...]
    """Path patterns of the app's pages, such as `/inbox/:thread?`."""

    @staticmethod
    def found(folder: Path = BUILT) -> "Site | None":
        """None if the app is not built."""
        if not (folder / "index.html").is_file():
            return None
        found = {
            path.relative_to(folder).as_posix(): _file(path)
            for path in sorted(folder.rglob("*"))
            if path.is_file() and path.suffix not in _COMPRESSED
        }
        index, manifest = found.pop("index.html"), found.pop("pages.json", None)
        pages = b'["/"]' if manifest is None else manifest.body
        return Site(index, found, msgspec.json.decode(pages, type=tuple[str, ...]))


def _file(path: Path) -> File:
    body = path.read_bytes()
    beside = {coding: path.with_name(path.name + suffix) for suffix, coding in _COMPRESSED.items()}
    return File(
        body,
        _media_type(path),
        f'"{blake2b(body, digest_size=12).hexdigest()}"',
        {coding: found.read_bytes() for coding, found in beside.items() if found.is_file()},
    )


def _media_type(path: Path) -> str:
    """Does not rely on the system's table: browsers refuse a script of the wrong type."""
    guessed = _KINDS.get(path.suffix) or mimetypes.guess_type(path.name)[0]
    return guessed or "application/octet-stream"


def _coding(part: str) -> str:
    """The encoding in one entry of `Accept-Encoding`, or empty if it has `q=0`."""
    name, _, weight = part.partition(";")
    refused = weight.replace(" ", "") in ("q=0", "q=0.0", "q=0.00", "q=0.000")
    return "" if refused else name.strip()
