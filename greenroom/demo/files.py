"""Writes the sample threads with files into the store, once."""

from greenroom.demo.sample_files import SAMPLE_FILE_THREADS
from greenroom.demo.seeding import Seeding
from greenroom.demo.threads import seed_threads


async def seed_samples(seeding: Seeding) -> None:
    """Writes what is not there yet."""
    await seed_threads(seeding, SAMPLE_FILE_THREADS)
