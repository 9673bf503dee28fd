"""Installs Debian packages of servers without starting their services, and runs them as a non-root
user.

A Debian package starts its service when it is installed. A policy forbids that during the
installation, and the service is disabled afterwards.
"""

import os
import pwd
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from scripts.engines.requirements import Unavailable, command

_POLICY = Path("/usr/sbin/policy-rc.d")
_SYSTEMD = Path("/run/systemd/system")


def server_command(name: str, *, debian: str, service: str) -> str:
    """The path of a server's program, which is installed if missing, but not as a service."""
    if found := shutil.which(name, path=_wide_path()):
        return found
    with _services_stay_down():
        found = command(name, debian=debian)
    if _SYSTEMD.exists():
        subprocess.run(["systemctl", "disable", "--now", "--quiet", service], check=False)
    return found


def as_user(name: str) -> tuple[str, ...]:
    """The command prefix that runs a command as `name`, if we are root; otherwise nothing."""
    if os.geteuid() != 0:
        return ()
    setpriv = command("setpriv", debian="util-linux")
    # Changing the user forgets the signal of process.py, so setpriv sets it again.
    return (setpriv, f"--reuid={name}", f"--regid={name}", "--init-groups", "--pdeathsig=TERM")


def give(folder: Path, name: str) -> None:
    """Make `name` the owner of a folder and what is in it, where we are root."""
    if os.geteuid() != 0:
        return
    try:
        account = pwd.getpwnam(name)
    except KeyError:
        raise Unavailable(f"there is no user {name} to run as") from None
    for path in (folder, *folder.rglob("*")):
        os.chown(path, account.pw_uid, account.pw_gid)


def run(argv: Sequence[str], *, folder: Path, seconds: float = 120) -> None:
    """Runs one step of a server's setup to its end."""
    done = subprocess.run(argv, cwd=folder, capture_output=True, text=True, timeout=seconds)
    if done.returncode != 0:
        last = (done.stderr.strip() or done.stdout.strip()).splitlines()[-3:]
        raise Unavailable(f"`{' '.join(argv)}` failed: {' / '.join(last)}")


def _wide_path() -> str:
    """Servers are in sbin, which may be missing from the PATH."""
    return os.pathsep.join((os.environ.get("PATH", os.defpath), "/usr/sbin", "/usr/local/sbin"))


@contextmanager
def _services_stay_down() -> Iterator[None]:
    if _POLICY.exists() or os.geteuid() != 0:
        yield
        return
    _POLICY.write_text("#!/bin/sh\nexit 101\n")
    _POLICY.chmod(0o755)
    try:
        yield
    finally:
        _POLICY.unlink()
