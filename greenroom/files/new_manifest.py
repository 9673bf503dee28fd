"""Makes the next manifest of a thread's chain.

The use case is in messaging, which writes the message that shows it in the same transaction.
"""

import re
from urllib.parse import urlsplit

from greenroom.files import manifest_hash, names
from greenroom.files.context import Files
from greenroom.files.manifest_items import chain_end_of
from greenroom.files.models import ChainEnd, Manifest, NewFile, NewManifest
from greenroom.files.problems import InvalidFile
from greenroom.files.records import FILES, chain_key
from greenroom.ids import ThreadId, UserId

MAX_URL = 2048
MAX_SIZE = 2**53 - 1
"""What every client can count exactly."""
_PRINTABLE = re.compile(r"[!-~]+")


def check(new: NewManifest) -> None:
    names.check(NewFile(name=new.name, size=new.size, sha256=new.sha256))
    if new.size > MAX_SIZE:
        raise InvalidFile("size", "size", f"it must be at most {MAX_SIZE} bytes")
    if (reason := _wrong_with_url(new.url)) is not None:
        raise InvalidFile("url", "URL", reason)


def _wrong_with_url(url: str) -> str | None:
    if not 0 < len(url) <= MAX_URL:
        return f"it must have 1 to {MAX_URL} characters"
    if not _PRINTABLE.fullmatch(url) or "\\" in url:
        return "it must be written with printable ASCII characters, and without backslashes"
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return "it must be a URL"
    if parts.scheme not in ("http", "https") or not host:
        return "it must begin with https:// or http:// and name a host"
    if "@" in parts.netloc:
        return "it must not contain a user name or a password"
    return None


async def chain_end(files: Files, thread: ThreadId) -> ChainEnd:
    return chain_end_of(await files.store.get(FILES, chain_key(thread), consistent=True))


def next_manifest(
    files: Files, thread: ThreadId, by: UserId, new: NewManifest, end: ChainEnd
) -> Manifest:
    manifest = Manifest(
        id=files.ids.manifest(),
        thread=thread,
        number=end.number + 1,
        name=names.cleaned(new.name),
        size=new.size,
        sha256=new.sha256.lower(),
        url=new.url,
        by=by,
        created_ms=files.clock.now_ms(),
        salt=files.ids.salt(),
        sealed="",
        previous=end.hash,
        hash="",
    )
    return manifest_hash.hashed(manifest)
