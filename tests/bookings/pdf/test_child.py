"""Tests of what the process that draws may do."""

import socket
import subprocess
import sys
from pathlib import Path

import pytest

from greenroom.bookings.pdf.typeset import TEMPLATES
from greenroom.files.decoder import landlock

_LIMITED = f"""
import os, socket, sys
from pathlib import Path
from greenroom.bookings.pdf.child import take_limits
from greenroom.bookings.pdf.job import Job
from greenroom.files.decoder import isolation
isolation.leave_network()
take_limits(Job(template="card", page={{}}, issued_ms=0, fonts=(sys.argv[1],),
                memory_bytes=10**9, cpu_seconds=5))
for path in ("/etc/passwd", {__file__!r}, "{TEMPLATES}/sheet.typ", sys.argv[1] + "/a.ttf"):
    try:
        Path(path).read_bytes()
        print("reads", path)
    except PermissionError:
        print("cannot read", path)
for path in (sys.argv[1] + "/new", "{TEMPLATES}/new"):
    try:
        Path(path).write_text("x")
        print("writes", path)
    except OSError:
        print("cannot write", path)
try:
    socket.create_connection(("127.0.0.1", int(sys.argv[2])), timeout=5)
    print("connects")
except OSError:
    print("cannot connect")
"""


@pytest.mark.skipif(landlock.version() < 4, reason="the kernel has no Landlock with TCP rules")
def test_the_child_reads_templates_and_fonts_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "a.ttf").write_bytes(b"font")
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        said = subprocess.run(
            [sys.executable, "-c", _LIMITED, str(tmp_path), str(port)],
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        ).stdout.splitlines()
    assert said == [
        "cannot read /etc/passwd",
        f"cannot read {__file__}",
        f"reads {TEMPLATES}/sheet.typ",
        f"reads {tmp_path}/a.ttf",
        f"cannot write {tmp_path}/new",
        f"cannot write {TEMPLATES}/new",
        "cannot connect",
    ]
