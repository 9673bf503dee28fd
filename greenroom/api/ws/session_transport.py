"""The port between a session and the WebSocket library."""

from typing import Protocol


class Transport(Protocol):
    """The transport of a session."""

    def write(self, payload: bytes) -> None: ...

    def close(self, code: int, reason: str) -> None:
        """Closes after all pending writes."""

    def pause_reading(self) -> None: ...

    def resume_reading(self) -> None: ...

    def authenticated(self) -> None:
        """Called once the client has authenticated."""
