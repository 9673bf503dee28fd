"""The parts of AWS signature version 4 that do not depend on the service."""

import hmac
import re
from typing import NamedTuple

ALGORITHM = "AWS4-HMAC-SHA256"
_SAFE = re.compile(r"[!-~]+")
"""The characters allowed in a header. A line break would start another header."""


class UnsafeHeader(ValueError):
    """This must not be in an HTTP header; the message says what, without its value."""


class Scope(NamedTuple):
    """What a signing key is good for."""

    date: str
    """`20260102`."""
    region: str
    service: str

    def __str__(self) -> str:
        return f"{self.date}/{self.region}/{self.service}/aws4_request"

    def signing_key(self, secret: str) -> bytes:
        key = f"AWS4{secret}".encode()
        for part in (*self, "aws4_request"):
            key = hmac.digest(key, part.encode(), "sha256")
        return key


def check_header(name: str, value: str) -> str:
    if not _SAFE.fullmatch(value):
        raise UnsafeHeader(f"the {name} has characters that must not be in an HTTP header")
    return value
