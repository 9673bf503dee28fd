"""Writes a sample reminder for `greenroom demo`, once."""

from greenroom.clock import ManualClock
from greenroom.demo import Seeding
from tests.example_context.reminders import Reminders, listed, remind


async def seed_samples(seeding: Seeding) -> None:
    reminders = seeding.contexts_at(ManualClock(seeding.now_ms))[Reminders]
    maya = seeding.actors["maya"]
    if not (await listed(reminders, maya)).waiting:
        await remind(reminders, maya, "Send Jonas the moodboard", 3_600_000)
