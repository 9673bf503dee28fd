"""Takes from a process what it does not need: memory, time, files, privileges and the network.

The limits of `limit` always hold. The others depend on the kernel: Landlock needs Linux 5.13, and
its rules on TCP 6.7. What the kernel does not have is left out.
"""

import ctypes
import os
import resource
import signal
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from greenroom.files.decoder import landlock

_DIE_WITH_PARENT, _NO_NEW_PRIVILEGES = 1, 38
_NEW_USER, _NEW_NETWORK = 0x10000000, 0x40000000
_CAPABILITIES_3 = 0x20080522
_IS_LINUX = sys.platform == "linux"
_libc = ctypes.CDLL(None, use_errno=True)


def end_with_parent(parent: int) -> None:
    """Ends this process when its parent does, also by SIGKILL."""
    if _IS_LINUX:
        _libc.prctl(_DIE_WITH_PARENT, signal.SIGKILL)
    if os.getppid() != parent:  # it has ended already
        os._exit(1)


def leave_network() -> None:
    """Moves to a network without any interface, if the kernel lets us."""
    if not _IS_LINUX or _libc.unshare(_NEW_NETWORK) == 0:
        return
    user, group = os.geteuid(), os.getegid()
    if _libc.unshare(_NEW_USER | _NEW_NETWORK) == 0:
        with suppress(OSError):  # without it, files are those of "nobody" to us
            Path("/proc/self/setgroups").write_text("deny")
            Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
            Path("/proc/self/gid_map").write_text(f"{group} {group} 1")


def limit(*, memory_bytes: int, cpu_seconds: int, file_bytes: int) -> None:
    """Limits this process and those that it starts."""
    limits = {
        resource.RLIMIT_AS: memory_bytes,
        resource.RLIMIT_CPU: cpu_seconds,
        resource.RLIMIT_FSIZE: file_bytes,
        resource.RLIMIT_NOFILE: 128,
        resource.RLIMIT_CORE: 0,
    }
    for kind, most in limits.items():
        hard = resource.getrlimit(kind)[1]
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        grace = 5 if kind == resource.RLIMIT_CPU and hard == resource.RLIM_INFINITY else 0
        resource.setrlimit(kind, (most, most + grace))  # SIGXCPU first, so that we know why
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # writing then fails, and does not kill
    os.nice(5)
    with suppress(OSError):  # if memory is short, the kernel ends this process first
        Path("/proc/self/oom_score_adj").write_text("1000")


def drop_privileges(*, readable: Iterable[Path] = (), writable: Path | None = None) -> None:
    """From here on only programs, libraries and these files can be read, and at most one folder
    written."""
    if not _IS_LINUX:
        return
    _libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    _drop_capabilities()
    landlock.restrict((*landlock.SYSTEM, *readable), () if writable is None else (writable,))


def _drop_capabilities() -> None:
    header = (ctypes.c_uint32 * 2)(_CAPABILITIES_3, 0)
    _libc.capset(header, (ctypes.c_uint32 * 6)())
