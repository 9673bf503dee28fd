"""Reads and writes the headers of tus 1.0 (https://tus.io/protocols/resumable-upload)."""

import re
from base64 import b64decode, b64encode
from collections.abc import Mapping
from email.utils import formatdate

from greenroom.errors import Clause, Problem
from greenroom.files.append_upload import Checksum

VERSION = "1.0.0"
EXTENSIONS = "creation,checksum,expiration,termination"
ALGORITHMS = "sha1,sha256"
REQUEST = (
    "Tus-Resumable",
    "Upload-Checksum",
    "Upload-Length",
    "Upload-Metadata",
    "Upload-Offset",
)
"""Those that a page of another site may send …"""
RESPONSE = (
    "Tus-Checksum-Algorithm",
    "Tus-Extension",
    "Tus-Max-Size",
    "Tus-Resumable",
    "Tus-Version",
    "Upload-Expires",
    "Upload-Length",
    "Upload-Metadata",
    "Upload-Offset",
)
"""… and read."""
CHUNK = "application/offset+octet-stream"
_NUMBER = re.compile(r"[0-9]{1,16}", re.ASCII)
_MAX_METADATA = 8 * 1024


class TusVersionNotSupported(Problem):
    """The header Tus-Resumable must be {version}."""

    version: str


class InvalidTusHeader(Problem):
    """The header {header} is not valid: {reason}."""

    header: str
    reason: Clause


class WrongContentType(Problem):
    """The Content-Type must be {content_type}."""

    content_type: str


def check_version(headers: Mapping[str, str]) -> None:
    if headers.get("Tus-Resumable") != VERSION:
        raise TusVersionNotSupported(VERSION)


def number_in(headers: Mapping[str, str], name: str) -> int:
    text = headers.get(name)
    if text is None:
        raise InvalidTusHeader(name, "it must be there")
    if not _NUMBER.fullmatch(text):
        raise InvalidTusHeader(name, "it must be a number of bytes")
    return int(text)


def upload_length(headers: Mapping[str, str]) -> int:
    if "Upload-Defer-Length" in headers:
        raise InvalidTusHeader("Upload-Defer-Length", "the length must be known from the start")
    return number_in(headers, "Upload-Length")


def metadata_in(headers: Mapping[str, str]) -> dict[str, str]:
    """`filename d29ybGQ=,sha256 …`: names and Base64 values."""
    name, text = "Upload-Metadata", headers.get("Upload-Metadata", "")
    if len(text) > _MAX_METADATA:
        raise InvalidTusHeader(name, f"it must have at most {_MAX_METADATA} characters")
    found: dict[str, str] = {}
    for pair in filter(None, map(str.strip, text.split(","))):
        key, _, value = pair.partition(" ")
        try:
            found[key] = b64decode(value, validate=True).decode()
        except ValueError:
            raise InvalidTusHeader(name, "a value must be text in Base64") from None
    return found


def checksum_in(headers: Mapping[str, str]) -> Checksum | None:
    """`sha1 Kq5sNclPz7QV2+lfQIuc6R7oRu0=`: of the body of this request."""
    name, text = "Upload-Checksum", headers.get("Upload-Checksum")
    if text is None:
        return None
    algorithm, _, value = text.partition(" ")
    if algorithm not in ALGORITHMS.split(","):
        raise InvalidTusHeader(name, f"the algorithm must be one of {ALGORITHMS}")
    try:
        return Checksum(algorithm, b64decode(value, validate=True))
    except ValueError:
        raise InvalidTusHeader(name, "the checksum must be in Base64") from None


def metadata_of(values: Mapping[str, str]) -> str:
    return ",".join(
        f"{name} {b64encode(value.encode()).decode()}" for name, value in values.items()
    )


def http_date(ms: int) -> str:
    return formatdate(ms / 1000, usegmt=True)
