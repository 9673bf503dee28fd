"""Runs `greenroom audit verify`: checks the contract of record, also while a server writes it."""

from collections.abc import Iterator

from greenroom.bookings.verify import Checked, verify
from greenroom.open_sql import opened_to_read
from greenroom.settings import Settings


async def verified(settings: Settings) -> Checked:
    async with opened_to_read(settings) as database:
        return await verify(database)


def lines_of(checked: Checked) -> Iterator[str]:
    yield (
        f"Checked {checked.groups} bookings: {checked.entries} audit entries, "
        f"{checked.steps} steps of cards, {checked.transfers} transfers, {checked.legs} legs, "
        f"{checked.documents} documents."
    )
    for fault in checked.faults:
        yield f"FAULT  {fault}"
    if checked.faults:
        yield (
            f"{len(checked.faults)} bookings were changed outside Greenroom, or by a fault of the "
            "disk. Keep the database as it is, and compare it with a backup."
        )
    else:
        yield "Every chain is whole, every journal adds up, every card is what its steps made it."
