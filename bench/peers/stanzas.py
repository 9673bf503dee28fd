"""Cuts an XMPP stream into its stanzas at their end tags, wherever the bytes were split.

No parser: the servers write well-formed XML with every `<` and `>` of a text escaped, and the load
generator shares its cores with them. A stanza may hold others of its name, as an archived message
is forwarded in a message, so their depth is counted.
"""


class Stanzas:
    def __init__(self) -> None:
        self._buffer = b""
        self._seen = 0
        """Up to here the buffer has no end of the first stanza."""

    def feed(self, data: bytes) -> list[bytes]:
        """The stanzas that are now complete. The opening of the stream is skipped."""
        self._buffer = self._buffer + data if self._buffer else data
        found: list[bytes] = []
        begin = 0
        while (end := self._end(begin)) > 0:
            stanza = self._buffer[begin:end].lstrip()
            if not stanza.startswith((b"<?xml", b"<stream:stream")):
                found.append(stanza)
            begin, self._seen = end, end
        self._buffer = self._buffer[begin:]
        self._seen = max(0, self._seen - begin)
        return found

    def _end(self, begin: int) -> int:
        """Where the stanza that begins at `begin` ends, or 0 if it is incomplete."""
        buffer = self._buffer
        begin = buffer.find(b"<", begin)
        opened = buffer.find(b">", begin) if begin >= 0 else -1
        if opened < 0:
            return 0
        head = buffer[begin + 1 : opened]
        if head[0] in b"?/" or head.endswith(b"/") or head.startswith(b"stream:stream"):
            return opened + 1
        name = head.split(None, 1)[0]
        closing = b"</" + name + b">"
        at = max(opened, self._seen)
        while (at := buffer.find(closing, at)) >= 0:
            at += len(closing)
            if _opened(buffer, name, begin, at) == buffer.count(closing, begin, at):
                return at
            self._seen = at
        self._seen = max(opened, self._seen, len(buffer) - len(closing))
        return 0


def _opened(buffer: bytes, name: bytes, begin: int, end: int) -> int:
    """How many elements of that name begin there."""
    return buffer.count(b"<" + name + b" ", begin, end) + buffer.count(
        b"<" + name + b">", begin, end
    )
