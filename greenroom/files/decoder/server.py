"""The decoder process: reads jobs, forks a child for each, and answers when the child has ended.

It has one thread, because a child of a process with threads could inherit a lock that nobody opens
again. It ends when its input ends, and with its parent.
"""

import gc
import os
import select
import signal
import time
from contextlib import suppress
from typing import Final

from msgspec import Struct

from greenroom.files.decoder import ffmpeg, heif, isolation, picture
from greenroom.files.decoder.child import run_child
from greenroom.files.decoder.jobs import (
    Answer,
    Broken,
    Cancel,
    Job,
    Reply,
    Sniffed,
    decode_child_line,
    decode_request,
    encode,
)

_MOST_SAID: Final = 1_000_000
"""Bytes that a child may answer with. One that says more has been taken over."""


class _Child(Struct):
    job: Job
    pid: int
    output: int
    ends_at: float
    said: bytearray
    is_late: bool = False


def main(parent: int) -> None:
    isolation.end_with_parent(parent)
    isolation.leave_network()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    picture.preload()
    ffmpeg.is_installed(), heif.program()  # found once, for all children
    gc.collect()
    gc.freeze()  # children share what does not change
    DecoderServer(0, 1).run()


class DecoderServer:
    def __init__(self, requests: int, answers: int) -> None:
        self._requests = requests
        self._answers = answers
        self._unread = bytearray()
        self._children: dict[int, _Child] = {}
        """By the file descriptor of their output."""

    def run(self) -> None:
        poll = select.poll()
        poll.register(self._requests, select.POLLIN)
        try:
            while True:
                for descriptor, _ in poll.poll(self._wait_ms()):
                    if descriptor == self._requests:
                        if not self._read_requests(poll):
                            return
                    elif descriptor in self._children:
                        self._read_child(self._children[descriptor], poll)
                self._kill_late()
        finally:
            for child in self._children.values():
                _kill(child)

    def _wait_ms(self) -> float | None:
        ends = [child.ends_at for child in self._children.values() if not child.is_late]
        return max(0.0, min(ends) - time.monotonic()) * 1000 + 1 if ends else None

    def _read_requests(self, poll: select.poll) -> bool:
        """False at the end."""
        read = os.read(self._requests, 65_536)
        self._unread += read
        *lines, self._unread[:] = bytes(self._unread).split(b"\n")
        for line in lines:
            request = decode_request(line)
            if isinstance(request, Job):
                self._start(request, poll)
            else:
                self._cancel(request)
        return bool(read)

    def _start(self, job: Job, poll: select.poll) -> None:
        output, answers = os.pipe()
        pid = os.fork()
        if pid == 0:
            run_child(job, answers)
        os.close(answers)
        with suppress(OSError):  # the child does it too, and either may be first
            os.setpgid(pid, pid)
        self._children[output] = _Child(
            job, pid, output, time.monotonic() + job.seconds, bytearray()
        )
        poll.register(output, select.POLLIN)

    def _cancel(self, request: Cancel) -> None:
        for child in self._children.values():
            if child.job.id == request.id:
                _kill(child)

    def _kill_late(self) -> None:
        now = time.monotonic()
        for child in self._children.values():
            if child.ends_at <= now and not child.is_late:
                child.is_late = True
                _kill(child)

    def _read_child(self, child: _Child, poll: select.poll) -> None:
        read = os.read(child.output, 65_536)
        child.said += read
        if len(child.said) > _MOST_SAID:
            _kill(child)
        elif read:
            return
        poll.unregister(child.output)
        os.close(child.output)
        del self._children[child.output]
        _kill(child)  # what it has started, if it was killed; it cannot be reused before the wait
        _, status, used = os.wait4(child.pid, 0)
        answer = _answer_of(child, os.waitstatus_to_exitcode(status))
        cpu_seconds = used.ru_utime + used.ru_stime
        self._answer(Reply(child.job.id, answer, used.ru_maxrss * 1024, cpu_seconds))

    def _answer(self, reply: Reply) -> None:
        left = encode(reply) + b"\n"
        while left:
            left = left[os.write(self._answers, left) :]


def _answer_of(child: _Child, ended: int) -> Answer:
    sniffed: Sniffed | None = None
    for line in bytes(child.said).splitlines():
        try:
            said = decode_child_line(line)
        except ValueError:
            break
        if isinstance(said, Sniffed):
            sniffed = said
        else:
            return Broken(said.reason, sniffed) if isinstance(said, Broken) else said
    if ended == -signal.SIGXCPU:
        return Broken("CPU time", sniffed)
    return Broken(f"it ended with {ended}", sniffed, is_outside=ended == -signal.SIGKILL)


def _kill(child: _Child) -> None:
    for kill, target in ((os.killpg, child.pid), (os.kill, child.pid)):
        with suppress(ProcessLookupError, PermissionError):
            kill(target, signal.SIGKILL)
