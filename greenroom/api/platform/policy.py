"""What operators can change about the server: sockets, retention, the rates of all requests."""

from typing import Annotated, ClassVar

from msgspec import Meta

from greenroom.policy import DAY, MINUTE, Allowance, Limit, Section


class Sockets(Section, frozen=True):
    """Connections of the socket."""

    section: ClassVar = "sockets"
    per_user: Annotated[
        int,
        Meta(
            ge=1,
            le=100_000,
            description="Open sockets per user and node. One more closes the oldest, with close "
            "code 4429.",
        ),
    ] = 20


class Retention(Section, frozen=True):
    """How long logs are kept. Messages and the audit log of moderation are kept for good."""

    section: ClassVar = "retention"
    sync_days: Annotated[
        int,
        Meta(
            ge=2,
            le=365,
            description="Days that the logs of changes are kept for devices that come back. A "
            "device that was away for longer loads everything again. A shorter time holds for "
            "entries written from then on.",
        ),
    ] = 30

    @property
    def sync_ms(self) -> int:
        return self.sync_days * DAY * 1000


CHANGES = Limit(
    "changes",
    Allowance(300, MINUTE),
    "Every change without a limit of its own here, and sending.",
)
READS = Limit("reads", Allowance(1200, MINUTE), "All reads: inbox, history, sync and others.")
SIGN_INS = Limit(
    "sign_ins", Allowance(120, MINUTE), "Opening sockets, and renewing the token on one."
)
SERVICE_CALLS = Limit(
    "service_calls",
    Allowance(6000, MINUTE),
    "Calls of a service on its own behalf. Calls for a user spend the user's limits.",
)

SECTIONS = (Sockets, Retention)
LIMITS = (CHANGES, READS, SIGN_INS, SERVICE_CALLS)
