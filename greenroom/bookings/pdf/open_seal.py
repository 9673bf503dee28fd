"""Opens the operator's seal, if one is configured and the extra `pades` is installed."""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TypeAlias

Sealing: TypeAlias = Callable[[bytes], bytes]


class SealUnusable(Exception):
    """The operator has configured a seal that cannot be used. The message says why."""


def open_seal(key_file: Path | None, passphrase: str, now: datetime) -> Sealing | None:
    """None where no seal is configured."""
    if key_file is None:
        return None
    try:
        from greenroom.bookings.pdf.seal import Seal
    except ImportError as error:
        raise SealUnusable("PDF files are sealed with pip install 'greenroom[pades]'.") from error
    return Seal(key_file, passphrase, now)
