"""Uploads a file in parts to a bucket, and goes on until it is uploaded, whatever happens.

    python -m tests.torture.parts_client URL FILE_ID USER FILE SECONDS

It remembers nothing: a client that was killed and started again asks the server which parts are
missing, and prints `from` with the bytes that have arrived. It prints `completing` before it
completes the upload. The upload takes at least so many seconds, so that a test can interrupt it.
"""

import http.client
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from bench.peers.greenroom import token_of
from tests.torture.pace import Pace

COMPLETING, FROM = "completing", "from "
_PIECE = 256 * 1024
_RETRY_SECONDS = 0.1
_TIMEOUT_SECONDS = 30


class NotYet(Exception):
    """The server or the bucket does not take it at the moment."""


class PartsClient:
    def __init__(self, url: str, file_id: str, user: str) -> None:
        self._url = url
        self._file = f"/v1/files/{file_id}"
        self._headers = {"Authorization": f"Bearer {token_of(user)}"}

    def upload(self, path: Path, seconds: float) -> None:
        pace = Pace(seconds, path.stat().st_size)
        while True:
            try:
                if self._send_missing(path, pace):
                    return
            except (OSError, http.client.HTTPException, NotYet) as reason:
                print(f"again: {reason!r}", flush=True)
                time.sleep(_RETRY_SECONDS)

    def _send_missing(self, path: Path, pace: Pace) -> bool:
        """Whether the upload has ended."""
        upload = self._ask("GET", f"{self._file}/upload")["upload"]
        print(f"{FROM}{path.stat().st_size if upload is None else upload['offset']}", flush=True)
        if upload is None:
            return True
        for part in upload["parts"]:
            _put(part, path, pace)
        if upload["parts"]:
            return False  # there may be more of them
        print(COMPLETING, flush=True)
        self._ask("POST", f"{self._file}/complete")
        return True

    def _ask(self, method: str, path: str) -> Any:
        return json.loads(_answer(method, self._url + path, self._headers, None))


def _put(part: Any, path: Path, pace: Pace) -> None:
    headers = {**part["headers"], "Content-Length": str(part["size"])}
    pieces = _pieces(path, part["offset"], part["size"], pace)
    _answer(part["method"], part["url"], headers, pieces)


def _pieces(path: Path, offset: int, size: int, pace: Pace) -> Iterator[bytes]:
    with path.open("rb", buffering=0) as file:
        file.seek(offset)
        while size and (piece := file.read(min(_PIECE, size))):
            yield piece
            size -= len(piece)
            pace.wait(len(piece))


def _answer(method: str, url: str, headers: dict[str, str], body: Iterator[bytes] | None) -> bytes:
    place = urlsplit(url)
    connection = http.client.HTTPConnection(place.netloc, timeout=_TIMEOUT_SECONDS)
    try:
        connection.request(method, url.partition(place.netloc)[2], body, headers)
        answer = connection.getresponse()
        content = answer.read()
    finally:
        connection.close()
    if answer.status != 200:
        raise NotYet(f"{answer.status} {content[:200]!r}")
    return content


if __name__ == "__main__":
    _url, _file_id, _user, _path, _seconds = sys.argv[1:]
    PartsClient(_url, _file_id, _user).upload(Path(_path), float(_seconds))
