"""CPU time and memory of a server's processes and their children, from /proc."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

_PROC = Path("/proc")
_TICKS = os.sysconf("SC_CLK_TCK")


def cpu_seconds(pids: Iterable[int]) -> float:
    """CPU seconds so far, including children that have ended."""
    return sum(sum(map(int, _stat(pid)[11:15])) for pid in family(pids)) / _TICKS


def resident_bytes(pids: Iterable[int]) -> int:
    """Resident memory; shared pages count once (Pss)."""
    return sum(_pss(pid) for pid in family(pids))


def busy_seconds() -> float:
    """CPU seconds of the whole machine so far."""
    fields = (_PROC / "stat").read_text().split("\n", 1)[0].split()[1:]
    user, nice, system, _idle, _waiting, *rest = map(int, fields[:8])
    return (user + nice + system + sum(rest)) / _TICKS


def family(pids: Iterable[int]) -> set[int]:
    """The processes and their descendants."""
    children: dict[int, list[int]] = {}
    for pid, parent in _parents():
        children.setdefault(parent, []).append(pid)
    found, new = set[int](), list(pids)
    while new:
        pid = new.pop()
        found.add(pid)
        new += children.get(pid, ())
    return found


def _parents() -> Iterator[tuple[int, int]]:
    for entry in _PROC.iterdir():
        if entry.name.isdecimal() and (stat := _stat(int(entry.name))):
            yield int(entry.name), int(stat[1])


def _stat(pid: int) -> list[str]:
    """The fields after the command's name, which may hold spaces: state, parent, …"""
    try:
        return (_PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []


def _pss(pid: int) -> int:
    try:
        lines = (_PROC / str(pid) / "smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:")), 0)
