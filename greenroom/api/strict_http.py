"""Refuses HTTP requests that a proxy in front of us could read differently (request smuggling).

h11 is lenient where RFC 9112 lets it be: a bare line feed ends a line, a folded header is unfolded,
`Content-Length` may be repeated or stand beside `Transfer-Encoding`. Attackers have used each of
these to hide a second request from a proxy, and no honest client sends them.
"""

import h11
from h11._receivebuffer import ReceiveBuffer

_FRAMING = (b"content-length", b"transfer-encoding")


class StrictBuffer(ReceiveBuffer):
    """The buffer from which h11 reads lines. Only `\\r\\n` ends a line."""

    def maybe_extract_lines(self) -> list[bytearray] | None:
        _check_line_ends(self._data)
        lines = super().maybe_extract_lines()
        if lines:
            _check(lines)
        return lines


def make_strict(connection: h11.Connection) -> h11.Connection:
    connection._receive_buffer = StrictBuffer()
    return connection


def _check_line_ends(received: bytearray) -> None:
    """Checks up to the blank line. The body after it may contain anything."""
    end = received.find(b"\r\n\r\n")
    head = received if end < 0 else received[: end + 4]
    ends = head.count(b"\r\n")
    waiting = end < 0 and head.endswith(b"\r")
    if head.count(b"\n") != ends or head.count(b"\r") != ends + waiting:
        raise h11.RemoteProtocolError("a line must end with CR LF")


def _check(lines: list[bytearray]) -> None:
    """Checks the header lines of a request, or the trailers after a chunked body."""
    found: list[bytes] = []
    for line in lines:
        if bytes(line[:1]) in (b" ", b"\t"):
            raise h11.RemoteProtocolError("a header must be on one line")
        name, _, value = bytes(line).partition(b":")
        if name.lower() in _FRAMING:
            found.append(name.lower())
            if b"," in value:
                raise h11.RemoteProtocolError("the length must be given once")
    if len(found) > 1:
        raise h11.RemoteProtocolError("the length must be given once")
