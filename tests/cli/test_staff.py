"""The staff commands, on the store and through a running server."""

import json
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tests.cli.test_serving import server


def greenroom(data: Path, *arguments: str, port: str = "1") -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "greenroom", *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        env={"PATH": "/usr/bin:/bin", "GREENROOM_DATA": str(data), "GREENROOM_PORT": port},
    )


def ask(address: str, token: str, method: str, path: str, body: object = None) -> Any:
    request = urllib.request.Request(
        address + path,
        None if body is None else json.dumps(body).encode(),
        {"Authorization": f"Bearer {token}", "Content-Type": "application/json"},
        method=method,
    )
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.loads(answer.read())


def test_roles_are_granted_on_the_store_and_through_a_running_server(tmp_path: Path) -> None:
    with server("serve", tmp_path, GREENROOM_LOG="warning") as (address, _):
        shop = greenroom(tmp_path, "token", "shop", "--scope", "service").stdout.strip()
        for name in ("ada.o", "ines.c"):
            ask(address, shop, "POST", "/v1/people", {"username": name})
        done = greenroom(tmp_path, "staff", "grant", "ada.o", "moderator")
        assert (done.stderr, done.returncode) == ("", 0)
        ada = greenroom(tmp_path, "token", "ada.o").stdout.strip()
        assert ask(address, ada, "GET", "/v1/moderation/queue")["cases"] == []
        listed = greenroom(tmp_path, "staff", "list").stdout
        assert listed.split()[:2] == ["moderator", "ada.o"]
        refused = greenroom(tmp_path, "reinstate", "ada.o", "--reason", "Sorry")
        assert refused.returncode == 2
        assert "not suspended" in refused.stderr
        written = tmp_path / "greenroom.db.address"
        assert (written.read_text(), written.stat().st_mode & 0o777) == (f"{address}\n", 0o600)
        written.unlink()
        away = greenroom(tmp_path, "staff", "list", port="1")
        assert away.returncode == 2
        assert "no server answers" in away.stderr
        port = str(urlsplit(address).port)
        assert greenroom(tmp_path, "staff", "list", port=port).stdout == listed
    assert not written.exists()
    written.write_text("http://127.0.0.1:1\n")  # of a killed server
    assert greenroom(tmp_path, "staff", "grant", "ines.c", "admin").returncode == 0
    assert greenroom(tmp_path, "staff", "revoke", "ada.o").returncode == 0
    assert greenroom(tmp_path, "staff", "list").stdout.split()[:2] == ["admin", "ines.c"]
    again = greenroom(tmp_path, "staff", "revoke", "ada.o")
    assert again.stderr == "greenroom: This account has no staff role.\n"
    assert "no user named" in greenroom(tmp_path, "staff", "revoke", "nobody.here").stderr.lower()
