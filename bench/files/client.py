"""A user who uploads files over REST, one call after the other."""

import json
import time
import urllib.error
import urllib.request
from typing import Any

from bench.peers.greenroom import token_of

_ENDED = ("infected", "unscannable", "refused", "failed")
_PATIENCE_SECONDS = 120


class FilesClient:
    def __init__(self, url: str, user: str) -> None:
        self.url = url
        self._token = token_of(user)
        self.call("PUT", "/v1/me", {"username": user.removeprefix("usr_")})

    def call(self, method: str, path: str, body: object = None) -> Any:
        request = urllib.request.Request(
            self.url + path,
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"},
        )
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                text = answer.read()
        except urllib.error.HTTPError as error:
            raise RuntimeError(f"{method} {path}: {error.code} {error.read().decode()}") from None
        return json.loads(text) if text else None

    def create(self, name: str, size: int, sha256: str, kind: str = "") -> Any:
        """The file, and where to upload it."""
        body = {"name": name, "size": size, "sha256": sha256, "type": kind or "application/x"}
        return self.call("POST", "/v1/files", body)

    def upload(self, name: str, content: bytes, sha256: str) -> str:
        """The id of the file."""
        created = self.create(name, len(content), sha256)
        request = urllib.request.Request(
            self.url + created["upload"]["url"],
            method="PATCH",
            data=content,
            headers={
                "Tus-Resumable": "1.0.0",
                "Upload-Offset": "0",
                "Content-Type": "application/offset+octet-stream",
            },
        )
        urllib.request.urlopen(request, timeout=60).close()
        return str(created["file"]["fileId"])

    def wait_until_ready(self, file: str, pause: float = 0.02) -> Any:
        """Raises if the file ends badly."""
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while time.monotonic() < deadline:
            found = self.call("GET", f"/v1/files/{file}")
            if found["state"] == "ready":
                return found
            if found["state"] in _ENDED:
                raise RuntimeError(f"the file is {found['state']}: {found['problem']}")
            time.sleep(pause)
        raise RuntimeError("the file is not ready")

    def download_url(self, file: str) -> str:
        [found] = self.call("POST", "/v1/file-urls", {"fileIds": [file]})["files"]
        return str(found["urls"]["original"])

    def delete(self, file: str) -> None:
        self.call("DELETE", f"/v1/files/{file}")
