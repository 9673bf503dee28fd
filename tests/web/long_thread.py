"""Writes a thread of 50,000 messages into a demo's data, through the use cases.

Ada and Jonas take part; the last fifth is all hers and unread. Many messages are sent
concurrently, so that the store writes them in groups, and without rate limits.

    python -m tests.web.long_thread DATA COUNT
"""

import asyncio
import subprocess
import sys
from pathlib import Path

import uvloop

from greenroom.app import compose
from greenroom.clock import SystemClock
from greenroom.demo import records as demo_records
from greenroom.messaging import Messaging
from greenroom.messaging.models import Kind, Role
from greenroom.messaging.open import Invited, Opening, open_thread
from greenroom.messaging.outgoing import Outgoing
from greenroom.messaging.respond import accept
from greenroom.messaging.send import send
from greenroom.open_store import for_demo, opened
from greenroom.people import directory
from greenroom.people.actor import Actor
from greenroom.safety.limits import Rate
from greenroom.settings import Settings, load_secret, read_settings
from tests.world import LIMITS

SUBJECT = "Everything we ever said"
_UNLIMITED = dict.fromkeys(
    LIMITS, Rate(most=10**9, window_ms=1000, local_share=10**6, lease_size=10**6, lease_ms=1000)
)
_AT_ONCE = 100
_MORE = (" It rained again.", " The light was good.", " " + "We talked about it for a while. " * 6)


def first_unread(count: int) -> int:
    return count * 4 // 5 // 3 * 3 + 1


def write(data: Path, count: int) -> None:
    """Writes into the data of a demo that is not running, in a separate process."""
    subprocess.run([sys.executable, "-m", __name__, str(data), str(count)], check=True)


async def _write(settings: Settings, count: int) -> None:
    clock = SystemClock()
    async with opened(settings, clock, create_tables=False) as store:
        await demo_records.mark(store)
        messaging = compose(store, clock, load_secret(settings), rates=_UNLIMITED)[Messaging]
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
    demo = for_demo(read_settings({"GREENROOM_DATA": sys.argv[1]}))
    uvloop.run(_write(demo, int(sys.argv[2])))
