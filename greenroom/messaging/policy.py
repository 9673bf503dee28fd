"""What operators can change about messaging: requests, and the rates of its use cases."""

from typing import Annotated, ClassVar

from msgspec import Meta

from greenroom.policy import DAY, HOUR, MINUTE, Allowance, Limit, Section


class RequestGate(Section, frozen=True):
    """Requests: first contacts with strangers, until they are answered."""

    section: ClassVar = "gate"
    messages: Annotated[
        int,
        Meta(
            ge=1,
            le=20,
            description="Messages that a sender can write before the request is answered. The "
            "recipient sees as many. A request keeps the value with which it was made.",
        ),
    ] = 3
    characters: Annotated[
        int,
        Meta(
            ge=100,
            le=8000,
            description="Length of each of these messages.",
        ),
    ] = 8000
    expires_days: Annotated[
        int, Meta(ge=1, le=365, description="Days after which an unanswered request expires.")
    ] = 14
    ask_again_days: Annotated[
        int,
        Meta(
            ge=1,
            le=365,
            description="Days from a request until the same sender can send the same person "
            "another one, whatever the answer was. At least `expires_days` holds in any case.",
        ),
    ] = 14


class Scheduling(Section, frozen=True):
    """Scheduled messages: written now, sent at a time."""

    section: ClassVar = "scheduling"
    messages: Annotated[
        int, Meta(ge=1, le=500, description="Scheduled messages that one user can have.")
    ] = 50
    days: Annotated[
        int, Meta(ge=1, le=3660, description="Days ahead for which a message can be scheduled.")
    ] = 366


THREAD_STARTS = Limit("thread_starts", Allowance(30, HOUR), "Opening conversations.")
OPENINGS = Limit(
    "openings",
    Allowance(60, MINUTE),
    "Attempts to open a conversation, also refused ones and those that find an existing one.",
)
REQUESTS = Limit("requests", Allowance(40, DAY), "First contacts with strangers.")
MESSAGES = Limit("messages", Allowance(90, MINUTE), "Sending messages.")
BURST = Limit("burst", Allowance(30, 10), "Sending messages within a few seconds.")
REACTIONS = Limit("reactions", Allowance(120, MINUTE), "Adding and removing reactions.")
PARTICIPANTS = Limit(
    "participants",
    Allowance(120, HOUR),
    "Adding and removing people. A stranger spends `requests` as well.",
)
PANEL_EDITS = Limit("panel_edits", Allowance(120, MINUTE), "Editing the project panel.")
PREVIEWS = Limit("previews", Allowance(120, MINUTE), "Checking a text before it is sent.")
RECEIPTS = Limit(
    "receipts",
    Allowance(1200, MINUTE),
    "Read and delivery receipts, typing, and which threads are on screen.",
)

SECTIONS = (RequestGate, Scheduling)
LIMITS = (
    THREAD_STARTS,
    OPENINGS,
    REQUESTS,
    MESSAGES,
    BURST,
    REACTIONS,
    PARTICIPANTS,
    PANEL_EDITS,
    PREVIEWS,
    RECEIPTS,
)
