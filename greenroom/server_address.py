"""Tells commands on the same machine the address of the server that has a SQLite store open.

The server writes its address into a file beside the store, which only its owner can read, and
removes it when it stops. The file of a server that was killed is stale: use it only while the store
is locked.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex

_MAX_BYTES = 300


@contextmanager
def announced(store: Path | None, address: str) -> Iterator[None]:
    """Careful: a server runs without the file, too, for example on a full disk."""
    if store is None:
        yield
        return
    file = _file(store)
    with suppress(OSError):
        _write(file, address)
    try:
        yield
    finally:
        with suppress(OSError):
            file.unlink(missing_ok=True)


def address_beside(store: Path | None) -> str | None:
    """The address that the running server has written, if there is one."""
    if store is None:
        return None
    try:
        with _file(store).open("rb") as file:
            address = file.read(_MAX_BYTES).decode().strip()
    except (OSError, UnicodeDecodeError):
        return None
    return address if address.startswith("http://") else None


def _write(file: Path, address: str) -> None:
    draft = file.with_name(f".{file.name}.{token_hex(4)}")
    try:
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w") as opened:
            opened.write(f"{address}\n")
        os.replace(draft, file)
    finally:
        draft.unlink(missing_ok=True)


def _file(store: Path) -> Path:
    return store.with_name(f"{store.name}.address")
