"""Checks whether a user may act at all: every API does it first.

Careful: an eventually consistent read may miss an account that was just created, so a missing
account is read again consistently.
"""

from greenroom.clock import iso
from greenroom.errors import MAX_DETAIL, Problem, quoted
from greenroom.ids import UserId
from greenroom.people import records
from greenroom.people.context import People
from greenroom.people.models import FOREVER_MS, Account


class NoAccount(Problem):
    """There is no account {user} yet. Create it with PUT /v1/me."""

    user: str


class AccountSuspended(Problem):
    """Your account is suspended. The answer says until when, why and whom to contact."""

    until: str | None
    """None if the suspension has no end."""
    reason: str | None
    """The moderator's explanation."""
    contact: str | None
    """An e-mail address or a URL."""

    def __str__(self) -> str:
        contact = self.contact or "this site's support"
        sentences = (
            f"Your account is suspended until {self.until or 'further notice'}.",
            f"Reason: {self.reason.rstrip('.')}." if self.reason else "",
            "You can sign in again after that." if self.until else "",
            f"If you think this is a mistake, contact {contact}.",
        )
        return quoted(" ".join(filter(None, sentences)), MAX_DETAIL)


async def account(people: People, user: UserId, *, consistent: bool = False) -> Account | None:
    """The user's account, suspended or not."""
    key = records.profile_key(user)
    item = await people.store.get(records.USER_POSTS, key, consistent=consistent)
    if item is None and not consistent:
        item = await people.store.get(records.USER_POSTS, key, consistent=True)
    return None if item is None else records.account_of(item)


def check_not_suspended(
    until_ms: int | None, now_ms: int, *, reason: str = "", contact: str = ""
) -> None:
    """Raises `AccountSuspended` with the end, the reason and the contact."""
    if until_ms is None or now_ms >= until_ms:
        return
    until = None if until_ms == FOREVER_MS else iso(until_ms)
    raise AccountSuspended(until, reason or None, contact or None)
