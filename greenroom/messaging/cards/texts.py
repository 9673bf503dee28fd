"""Checks what people write in cards: as messages are, and the files that they name."""

from collections.abc import Iterator
from typing import Any, TypeVar

import msgspec

from greenroom.bookings.cards.payloads import Answer, DepositClaim, Dispute, Expense, Proofs
from greenroom.bookings.cards.problems import InvalidCard
from greenroom.errors import quoted
from greenroom.files.access import load_many
from greenroom.files.models import FileState
from greenroom.ids import FileId, is_id
from greenroom.messaging import text
from greenroom.messaging.context import Messaging
from greenroom.messaging.models import Thread
from greenroom.messaging.moderate import card_verdict
from greenroom.messaging.problems import CardNeedsReview
from greenroom.people.actor import Actor
from greenroom.safety.verdict import Hold

C = TypeVar("C", bound=msgspec.Struct)
_NOT_WRITTEN = frozenset(
    {"type", "currency", "provider", "timeZone", "receipt", "startsAt", "endsAt"}
)
_MOST_NAME = 40
_FILES = frozenset({"files", "evidence", "answerEvidence"})


async def checked_content(messaging: Messaging, actor: Actor, thread: Thread, content: C) -> C:
    """The content with its texts cleaned as those of messages are. Refuses what a message could not
    say, and files that the thread does not show."""
    content = clean_content(content)
    written = "\n".join(_texts(msgspec.to_builtins(content)))
    if written and isinstance(await card_verdict(messaging, actor, thread, written), Hold):
        raise CardNeedsReview
    await _check_files(messaging, thread, _files(content))
    return content


def clean_content(content: C) -> C:
    """Without characters that nobody sees, in one form of Unicode. Pure."""
    cleaned = _cleaned(msgspec.to_builtins(content))
    try:
        return msgspec.convert(cleaned, type(content))
    except msgspec.ValidationError:
        raise InvalidCard("a text that must say something has only blanks") from None


def _cleaned(value: Any, name: str = "") -> Any:
    match value:
        case str() if name not in _NOT_WRITTEN:
            return text.clean_or_empty(value)
        case dict():
            return {
                key: one if key in _FILES else _cleaned(one, str(key)) for key, one in value.items()
            }
        case list() | tuple():
            return [_cleaned(one, name) for one in value]
        case _:
            return value


def _texts(value: object, name: str = "") -> Iterator[str]:
    match value:
        case str() if name not in _NOT_WRITTEN and value:
            yield value
        case dict():
            for key, one in value.items():
                if key not in _FILES:
                    yield from _texts(one, str(key))
        case list() | tuple():
            for one in value:
                yield from _texts(one, name)


def _files(content: msgspec.Struct) -> tuple[FileId, ...]:
    match content:
        case DepositClaim(evidence=files) | Dispute(evidence=files) | Answer(evidence=files):
            return files
        case Expense(receipt=receipt) if receipt is not None:
            return (receipt,)
        case Proofs(files=named):
            _check_names(named)
            return tuple(FileId(one) for one in named if one.startswith("fil_"))
        case _:
            return ()


def _check_names(named: tuple[str, ...]) -> None:
    for one in named:
        if not is_id(one, "fil_") and not is_id(one, "mnf_"):
            raise InvalidCard(f"{quoted(one, _MOST_NAME)} is no id of a file or of a manifest")


async def _check_files(messaging: Messaging, thread: Thread, files: tuple[FileId, ...]) -> None:
    found = await load_many(messaging.files, files)
    for id in files:
        file = found.get(id)
        shown = file is not None and file.state is FileState.READY and file.use is not None
        if not shown or file is None or file.use is None or file.use.target != thread.id:
            raise InvalidCard(f"the file {id} is not in this conversation; send it there first")
