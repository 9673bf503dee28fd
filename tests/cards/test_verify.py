"""The records of bookings are checked: whole ones pass, and every change of a row is found."""

import pytest
from sqlalchemy import Connection, text

from greenroom.audit_commands import lines_of
from greenroom.bookings.cards.payloads import Complete, Dispute
from greenroom.bookings.verify import verify
from tests.cards.world import CardWorld

CHANGES = {
    "UPDATE audit SET facts = '{}' WHERE number = 2": "audit entry 2 does not follow",
    "UPDATE audit SET actor = 'usr_x' WHERE number = 1": "audit entry 1 does not follow",
    "DELETE FROM audit WHERE number = 3": "audit entry 3 does not follow",
    "DELETE FROM audit WHERE number > 4": "the audit trail ends with entry 4",
    "UPDATE cards SET card = replace(card, 'applied', 'declined')": "its last step made it",
    "UPDATE cards SET card = replace(card, 'Portraits', 'Weddings')": "does not say what its steps",
    "UPDATE card_steps SET step = replace(step, 'Portraits', 'Weddings')": "audit trail says",
    "DELETE FROM card_steps WHERE version = 2": "is version 3 and has 2 steps",
    "UPDATE legs SET leg = replace(leg, '40000', '4')": "is not what the audit trail says",
    "UPDATE legs SET status = 'completed'": "the columns of",
    "UPDATE transfers SET minor = 1 WHERE number = 1": "the columns of transfer 1",
    "UPDATE transfers SET minor = 1, transfer = replace(transfer, '40000', '1')": "audit",
    "DELETE FROM transfers WHERE number = 2": "the journal has 1 transfers, not 2",
    "UPDATE payments SET payment = replace(payment, '40000', '4')": "is not what the audit trail",
    "UPDATE payments SET payment = replace(payment, '\"done\"', '\"requested\"')": "trail says",
    "DELETE FROM payments": "is not in the records and the audit trail both",
    "UPDATE booking_groups SET transfers = 7": "the journal has 2 transfers, not 7",
}


async def test_whole_records_pass(world: CardWorld) -> None:
    thread, _ = await world.booked(deposit=100)
    world.clock.advance(days=19)
    await world.run_timers()
    await world.settle()
    world.clock.advance(days=2)
    done = await world.propose("ben", thread.id, Complete())
    await world.answer("ana", done, "accept")
    dispute = await world.propose("ana", thread.id, Dispute(reason="The pictures are dark."))
    await world.answer("ana", dispute, "withdraw")
    await world.inquiry()
    checked = await verify(world.bookings.database)
    assert checked.faults == ()
    assert (checked.groups, checked.legs) == (1, 1)
    assert checked.entries > checked.steps > 3
    assert checked.transfers >= 3
    assert "Every chain is whole" in "\n".join(lines_of(checked))


@pytest.mark.parametrize("statement", CHANGES)
async def test_a_changed_row_is_found(local: CardWorld, statement: str) -> None:
    await local.booked()

    def change(connection: Connection) -> None:
        triggers = connection.execute(
            text("SELECT name FROM sqlite_schema WHERE type = 'trigger'")
        ).scalars()
        for name in triggers.all():
            connection.execute(text(f"DROP TRIGGER {name}"))
        connection.execute(text(statement))

    assert (await verify(local.bookings.database)).faults == ()
    await local.bookings.database.write(change)
    [fault] = (await verify(local.bookings.database)).faults
    assert CHANGES[statement] in fault
