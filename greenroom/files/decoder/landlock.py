"""Restricts which files a process can open, with Landlock, which needs no privileges.

See https://docs.kernel.org/userspace-api/landlock.html: the kernel checks every later access of
this process and its children against a list of folders and files.
"""

import ctypes
import os
import stat
import sys
from collections.abc import Iterable
from pathlib import Path

_CREATE, _ADD_RULE, _RESTRICT = 444, 445, 446
_ASK_VERSION, _PATH_BENEATH = 1, 1
_EXECUTE, _WRITE, _READ, _LIST = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_CHANGES = sum(1 << bit for bit in range(4, 13))
_MOVE, _TRUNCATE, _IOCTL = 1 << 13, 1 << 14, 1 << 15
_OF_FILES = _EXECUTE | _WRITE | _READ | _TRUNCATE | _IOCTL
_BIND_AND_CONNECT = 0b11
_libc = ctypes.CDLL(None, use_errno=True)

SYSTEM = tuple(
    Path(path)
    for path in (
        *("/usr", "/bin", "/lib", "/lib64", "/opt", "/nix", "/gnu"),
        *("/etc/ld.so.cache", "/etc/alternatives", "/etc/fonts", "/dev/urandom"),
        *(sys.prefix, sys.base_prefix),
        Path(__file__).parents[2],
    )
)
"""Programs, their libraries and fonts, and this package."""
_DEVICE = Path("/dev/null")


class _Attributes(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("network", ctypes.c_uint64))


class _PathBeneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("folder", ctypes.c_int32))


def version() -> int:
    """Of Landlock in this kernel; 0 if there is none."""
    if sys.platform != "linux":
        return 0
    return max(0, int(_libc.syscall(_CREATE, None, ctypes.c_size_t(0), _ASK_VERSION)))


def restrict(readable: Iterable[Path], writable: Iterable[Path]) -> bool:
    """From here on, this process opens nothing else. Returns whether the kernel can do it."""
    known = version()
    if known == 0:
        return False
    handled = _handled(known)
    wanted = _Attributes(handled, _BIND_AND_CONNECT if known >= 4 else 0)
    size = ctypes.c_size_t(16 if known >= 4 else 8)
    rules = _libc.syscall(_CREATE, ctypes.byref(wanted), size, 0)
    if rules < 0:
        return False
    try:
        for path in readable:
            _allow(rules, path, handled & (_EXECUTE | _READ | _LIST))
        for path in (*writable, _DEVICE):
            _allow(rules, path, handled & ~_EXECUTE)
        return bool(_libc.syscall(_RESTRICT, rules, 0) == 0)
    finally:
        os.close(rules)


def _handled(known: int) -> int:
    handled = _EXECUTE | _WRITE | _READ | _LIST | _CHANGES
    later = ((2, _MOVE), (3, _TRUNCATE), (5, _IOCTL))
    return handled | sum(right for since, right in later if known >= since)


def _allow(rules: int, path: Path, rights: int) -> None:
    try:
        opened = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:  # not on this machine
        return
    try:
        if not stat.S_ISDIR(os.fstat(opened).st_mode):
            rights &= _OF_FILES
        rule = _PathBeneath(rights, opened)
        _libc.syscall(_ADD_RULE, rules, _PATH_BENEATH, ctypes.byref(rule), 0)
    finally:
        os.close(opened)
