"""The policy: what operators can change, as frozen Structs with defaults, ranges and descriptions.

Each section is a Struct and each value a field. To add a section, declare a Struct and add it to
`Policy`: reading, checking, `greenroom policy` and docs/reference/policy.md follow.
`policy_file.py` reads and prints the file.
"""

from collections.abc import Iterator
from typing import Annotated, Any

import msgspec
import msgspec.inspect
import msgspec.structs
from msgspec import Meta, Struct

_MOST = 1_000_000_000
MAX_CONTACT = 200
MAX_PHRASE = 100
MAX_PHRASES = 500
_LONGEST_SECONDS = 31 * 86_400


class Allowance(Struct, frozen=True):
    """How often one user may do something: at most `most` times in any `seconds`."""

    most: Annotated[int, Meta(ge=1, le=_MOST, description="Times within the window.")]
    seconds: Annotated[
        int, Meta(ge=1, le=_LONGEST_SECONDS, description="Length of the window, in seconds.")
    ]


_MINUTE, _HOUR, _DAY = 60, 3600, 86_400


class RateLimits(Struct, frozen=True):
    """Rate limits, each per user and over all nodes together."""

    thread_starts: Annotated[Allowance, Meta(description="Opening conversations.")] = Allowance(
        30, _HOUR
    )
    requests: Annotated[Allowance, Meta(description="First contacts with strangers.")] = Allowance(
        40, _DAY
    )
    messages: Annotated[Allowance, Meta(description="Sending messages.")] = Allowance(90, _MINUTE)
    burst: Annotated[Allowance, Meta(description="Sending messages within a few seconds.")] = (
        Allowance(30, 10)
    )
    reactions: Annotated[Allowance, Meta(description="Adding and removing reactions.")] = Allowance(
        120, _MINUTE
    )
    participants: Annotated[
        Allowance,
        Meta(description="Adding and removing people. A stranger spends `requests` as well."),
    ] = Allowance(120, _HOUR)
    blocks: Annotated[Allowance, Meta(description="Blocking people.")] = Allowance(60, _HOUR)
    reports: Annotated[Allowance, Meta(description="Reporting.")] = Allowance(20, _HOUR)
    previews: Annotated[Allowance, Meta(description="Checking a text before it is sent.")] = (
        Allowance(120, _MINUTE)
    )
    openings: Annotated[
        Allowance,
        Meta(
            description="Attempts to open a conversation, also refused ones and those that find "
            "an existing one."
        ),
    ] = Allowance(60, _MINUTE)
    changes: Annotated[
        Allowance, Meta(description="Every change without a limit of its own here, and sending.")
    ] = Allowance(300, _MINUTE)
    receipts: Annotated[
        Allowance,
        Meta(description="Read and delivery receipts, typing, and which threads are on screen."),
    ] = Allowance(1200, _MINUTE)
    reads: Annotated[Allowance, Meta(description="All reads: inbox, history, sync and others.")] = (
        Allowance(1200, _MINUTE)
    )
    lookups: Annotated[Allowance, Meta(description="Finding people by id, username or name.")] = (
        Allowance(240, _MINUTE)
    )
    sign_ins: Annotated[
        Allowance, Meta(description="Opening sockets, and renewing the token on one.")
    ] = Allowance(120, _MINUTE)
    service_calls: Annotated[
        Allowance,
        Meta(
            description="Calls of a service on its own behalf. Calls for a user spend the user's "
            "limits."
        ),
    ] = Allowance(6000, _MINUTE)


class Usernames(Struct, frozen=True):
    """Usernames."""

    reserved: Annotated[
        tuple[str, ...],
        Meta(
            description="Usernames that only staff and services may take. Case, dots and "
            "underscores make no difference: `admin` reserves `ad.min_` too."
        ),
    ] = (
        "abuse",
        "account",
        "accounts",
        "admin",
        "administrator",
        "api",
        "billing",
        "contact",
        "everyone",
        "greenroom",
        "help",
        "helpdesk",
        "info",
        "legal",
        "mod",
        "moderation",
        "moderator",
        "moderators",
        "mods",
        "noreply",
        "nobody",
        "official",
        "owner",
        "payments",
        "postmaster",
        "privacy",
        "root",
        "safety",
        "security",
        "service",
        "staff",
        "support",
        "system",
        "team",
        "trust",
        "webmaster",
    )

    def is_reserved(self, username: str) -> bool:
        return _bare(username) in {_bare(name) for name in self.reserved}


class Moderation(Struct, frozen=True):
    """Information about decisions."""

    contact: Annotated[
        str,
        Meta(
            max_length=MAX_CONTACT,
            description="Where people can ask about a decision: an e-mail address or an https "
            "URL. Shown to users who are warned or suspended.",
        ),
    ] = ""


class Sockets(Struct, frozen=True):
    """Connections of the socket."""

    per_user: Annotated[
        int,
        Meta(
            ge=1,
            le=100_000,
            description="Open sockets per user and node. One more closes the oldest, with close "
            "code 4429.",
        ),
    ] = 20


class RequestGate(Struct, frozen=True):
    """Requests: first contacts with strangers, until they are answered."""

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


Phrase = Annotated[str, Meta(min_length=2, max_length=MAX_PHRASE)]


class ContentRules(Struct, frozen=True):
    """Checks of texts: rules, your own phrases, and thresholds of the spam score."""

    contact: Annotated[
        bool, Meta(description="Hint at contact details and links before a booking.")
    ] = True
    payment: Annotated[
        bool, Meta(description="Hint at payments outside the platform before a booking.")
    ] = True
    spam: Annotated[
        bool, Meta(description="Count advertising, shouting, links and repeats as spam.")
    ] = True
    scam: Annotated[bool, Meta(description="Hold texts that look like fraud.")] = True
    conduct: Annotated[
        bool, Meta(description="Hold threats and private addresses; hint at insults and nudity.")
    ] = True
    hint_phrases: Annotated[
        tuple[Phrase, ...],
        Meta(
            max_length=MAX_PHRASES,
            description="Your own phrases: a text with one of them is delivered, with a hint to "
            "its author. Phrases match whole words; case, accents and common tricks make no "
            "difference.",
        ),
    ] = ()
    hold_phrases: Annotated[
        tuple[Phrase, ...],
        Meta(
            max_length=MAX_PHRASES,
            description="The same, for texts that a moderator must release first.",
        ),
    ] = ()
    refuse_phrases: Annotated[
        tuple[Phrase, ...],
        Meta(max_length=MAX_PHRASES, description="The same, for texts that are refused."),
    ] = ()
    nudge_at: Annotated[
        float, Meta(ge=0.01, le=1, description="Spam score from which the author gets a hint.")
    ] = 0.5
    hold_at: Annotated[
        float, Meta(ge=0.01, le=1, description="Spam score from which a text is held.")
    ] = 0.7
    refuse_at: Annotated[
        float,
        Meta(
            ge=0.01, le=1, description="Spam score from which a text in a first contact is refused."
        ),
    ] = 0.95
    repeats_to_nudge: Annotated[
        int,
        Meta(
            ge=1,
            le=40,
            description="How often a user can send the same text within ten minutes before a hint.",
        ),
    ] = 3
    repeats_to_hold: Annotated[
        int, Meta(ge=1, le=40, description="The same, before the text is held.")
    ] = 7
    links_to_count: Annotated[
        int,
        Meta(
            ge=2,
            le=50,
            description="Links in one text from which they raise the spam score. An address such "
            "as https://example.com counts twice.",
        ),
    ] = 3
    new_account_hours: Annotated[
        int,
        Meta(
            ge=1,
            le=8760,
            description="Age of an account up to which a link raises the spam score.",
        ),
    ] = 24


class Retention(Struct, frozen=True):
    """How long logs are kept. Messages and the audit log of moderation are kept for good."""

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
    events_days: Annotated[
        int,
        Meta(
            ge=2,
            le=365,
            description="Days that events are kept for the operator's own systems. A shorter time "
            "holds for events written from then on.",
        ),
    ] = 30


class Policy(Struct, frozen=True):
    limits: RateLimits = RateLimits()
    gate: RequestGate = RequestGate()
    safety: ContentRules = ContentRules()
    names: Usernames = Usernames()
    moderation: Moderation = Moderation()
    sockets: Sockets = Sockets()
    retention: Retention = Retention()


DEFAULT = Policy()


def values() -> Iterator[tuple[str, Any, str, str]]:
    """Every value: its name, its default, what it takes and what it means."""
    for section in msgspec.structs.fields(Policy):
        for field in msgspec.structs.fields(section.default):
            name = f"{section.name}.{field.name}"
            yield name, field.default, kind_of(field.type), _described(field.type)


def kind_of(annotation: Any) -> str:
    """What a value takes, in words."""
    return _in_words(_type_of(annotation))


def element_of(annotation: Any) -> str:
    """What each element of a list takes, in words."""
    kind = _type_of(annotation)
    assert isinstance(kind, msgspec.inspect.VarTupleType)
    return _in_words(kind.item_type)


def _in_words(kind: msgspec.inspect.Type) -> str:
    match kind:
        case msgspec.inspect.StructType(cls=cls) if cls is Allowance:
            return "`{ most = …, seconds = … }`"
        case msgspec.inspect.IntType(ge=low, le=high):
            return f"a whole number from {low} to {high}"
        case msgspec.inspect.FloatType(ge=low, le=high):
            return f"a number from {low} to {high}"
        case msgspec.inspect.BoolType():
            return "true or false"
        case msgspec.inspect.VarTupleType(max_length=int(most)):
            return f"a list of at most {most} texts"
        case msgspec.inspect.VarTupleType():
            return "a list of texts"
        case msgspec.inspect.StrType(min_length=int(least), max_length=int(most)):
            return f"text of {least} to {most} characters"
        case msgspec.inspect.StrType(max_length=int(most)):
            return f"text of at most {most} characters"
        case _:
            return "text"


def _type_of(annotation: Any) -> msgspec.inspect.Type:
    kind = msgspec.inspect.type_info(annotation)
    return kind.type if isinstance(kind, msgspec.inspect.Metadata) else kind


def _described(annotation: Any) -> str:
    kind = msgspec.inspect.type_info(annotation)
    extra = kind.extra_json_schema if isinstance(kind, msgspec.inspect.Metadata) else None
    return str((extra or {}).get("description", ""))


def _bare(username: str) -> str:
    return username.lower().replace(".", "").replace("_", "")
