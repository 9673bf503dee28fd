"""What operators can change about people: reserved names, the contact, the rate of lookups."""

import re
from collections.abc import Iterator
from typing import Annotated, ClassVar

from msgspec import Meta

from greenroom.people.models import MAX_USERNAME
from greenroom.policy import MINUTE, Allowance, Limit, Section

MAX_CONTACT = 200
MAX_RESERVED = 1000
_CONTACT = re.compile(
    r"[^\s@<>()\",:;\\]+@[^\s@/?#<>()\",:;\\]+|https://[^\s@/?#<>\"\\]+([/?#][^\s<>\"\\]*)?"
)


ReservedName = Annotated[str, Meta(min_length=1, max_length=MAX_USERNAME)]


class Usernames(Section, frozen=True):
    """Usernames."""

    section: ClassVar = "names"
    reserved: Annotated[
        tuple[ReservedName, ...],
        Meta(
            max_length=MAX_RESERVED,
            description="Usernames that only staff and services may take. Case, dots and "
            "underscores make no difference: `admin` reserves `ad.min_` too.",
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


class Moderation(Section, frozen=True):
    """Information about decisions."""

    section: ClassVar = "moderation"
    contact: Annotated[
        str,
        Meta(
            max_length=MAX_CONTACT,
            description="Where people can ask about a decision: an e-mail address or an https "
            "URL. Shown to users who are warned or suspended.",
        ),
    ] = ""

    def conflicts(self) -> Iterator[tuple[str, str]]:
        if self.contact and not (_CONTACT.fullmatch(self.contact) and self.contact.isprintable()):
            yield "contact", "it must be an e-mail address or an address with https://"


def _bare(username: str) -> str:
    return username.lower().replace(".", "").replace("_", "")


LOOKUPS = Limit("lookups", Allowance(240, MINUTE), "Finding people by id, username or name.")

SECTIONS = (Usernames, Moderation)
LIMITS = (LOOKUPS,)
