"""Checks what people write in cards: as messages are, and the files that they name."""

from collections.abc import Iterator

import msgspec

from greenroom.bookings.cards.payloads import Answer, DepositClaim, Dispute, Expense, Proofs
from greenroom.bookings.cards.problems import InvalidCard
from greenroom.files.access import load_many
from greenroom.files.models import FileState
from greenroom.ids import FileId
from greenroom.messaging.context import Messaging
from greenroom.messaging.models import Thread
from greenroom.messaging.moderate import check_text
from greenroom.messaging.problems import CardNeedsReview
from greenroom.people.actor import Actor
from greenroom.safety.verdict import Hold

_NOT_WRITTEN = frozenset(
    {"type", "currency", "provider", "timeZone", "receipt", "startsAt", "endsAt"}
)
_FILES = frozenset({"files", "evidence", "answerEvidence"})


async def check_content(
    messaging: Messaging, actor: Actor, thread: Thread, content: msgspec.Struct
) -> None:
    """Refuses what a message could not say, and files that the thread does not show."""
    written = "\n".join(_texts(msgspec.to_builtins(content)))
    if written:
        verdict = await check_text(messaging, actor, thread, written)
        if isinstance(verdict, Hold):
            raise CardNeedsReview
    await _check_files(messaging, thread, _files(content))


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
            return tuple(FileId(one) for one in named if one.startswith("fil_"))
        case _:
            return ()


async def _check_files(messaging: Messaging, thread: Thread, files: tuple[FileId, ...]) -> None:
    found = await load_many(messaging.files, files)
    for id in files:
        file = found.get(id)
        shown = file is not None and file.state is FileState.READY and file.use is not None
        if not shown or file is None or file.use is None or file.use.target != thread.id:
            raise InvalidCard(f"the file {id} is not in this conversation; send it there first")
