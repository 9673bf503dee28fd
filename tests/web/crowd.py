"""A conversation of 50,000 messages in a demo's data, made as everything is: through the use cases.
Ada and Jonas talk; of the last fifth, which is all hers, he has read nothing.

Many are under way at a time, so that the store writes them in groups; the limits are for people.

    python -m tests.web.crowd DATA COUNT
"""

import asyncio
import subprocess
import sys
from pathlib import Path

import uvloop

from greenroom import settings as knobs
from greenroom.app import compose, for_demo, opened
from greenroom.clock import SystemClock
from greenroom.demo import records as demo_records
from greenroom.messaging.answer import accept
from greenroom.messaging.models import Kind, Role
from greenroom.messaging.open import Invited, Opening, open_thread
from greenroom.messaging.send import Outgoing, send
from greenroom.people import directory
from greenroom.people.actor import Actor
from greenroom.safety.limits import Limit, Rate
from greenroom.settings import Settings

SUBJECT = "Everything we ever said"
_UNLIMITED = dict.fromkeys(
    Limit, Rate(most=10**9, window_ms=1000, unasked=10**6, step=10**6, keep_ms=1000)
)
_AT_ONCE = 100
_MORE = (" It rained again.", " The light was good.", " " + "We talked about it for a while. " * 6)


def first_unread(count: int) -> int:
    return count * 4 // 5 // 3 * 3 + 1


def write(data: Path, count: int) -> None:
    """Into the data of a demo that does not run; in a process of its own, with its own loop."""
    subprocess.run([sys.executable, "-m", __name__, str(data), str(count)], check=True)


async def _write(settings: Settings, count: int) -> None:
    clock = SystemClock()
    async with opened(settings, clock, create_tables=False) as store:
        await demo_records.mark(store)
        messaging = compose(store, clock, knobs.kept_secret(settings), rates=_UNLIMITED).messaging
        found = [await directory.by_username(messaging.people, one) for one in ("ada", "jonas")]
        ada, jonas = (Actor(person.id) for person in found if person is not None)
        opening = Opening(
            kind=Kind.INQUIRY, others=(Invited(jonas.user, Role.SELLER),), subject=SUBJECT
        )
        thread = await open_thread(messaging, ada, opening)
        await accept(messaging, jonas, thread.gates[jonas.user].id)
        for first in range(1, count + 1, _AT_ONCE):
            await asyncio.gather(
                *(
                    send(
                        messaging,
                        ada if number % 3 or number >= first_unread(count) else jonas,
                        thread.id,
                        Outgoing(f"n{number}", f"This is number {number}.{_MORE[number % 3]}"),
                    )
                    for number in range(first, min(first + _AT_ONCE, count + 1))
                )
            )


if __name__ == "__main__":
    demo = for_demo(knobs.read({"GREENROOM_DATA": sys.argv[1]}))
    uvloop.run(_write(demo, int(sys.argv[2])))
