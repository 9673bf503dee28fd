"""State before + sync == state after, for each step of a card and both of its sides."""

from tests.cards.world import OK, CardWorld
from tests.messaging.sync_client import SyncClient


async def test_a_client_that_comes_back_has_every_step(world: CardWorld) -> None:
    thread = await world.inquiry()
    clients = [SyncClient(world.messaging, world.actors[name]) for name in ("ana", "ben")]
    for client in clients:
        await client.reload()
    world.clock.advance(seconds=90)
    offered = await world.propose("ben", thread.id, world.offer())
    await caught_up(world, clients)
    await world.answer("ana", offered, "accept", pays=OK)
    await caught_up(world, clients)


async def caught_up(world: CardWorld, clients: list[SyncClient]) -> None:
    world.clock.advance(seconds=90)
    for client in clients:
        await client.sync()
        other = SyncClient(world.messaging, client.actor)
        await other.reload()
        now_ms = world.clock.now_ms()
        assert {id: known.at(now_ms) for id, known in client.threads.items()} == {
            id: known.at(now_ms) for id, known in other.threads.items()
        }
        assert client.resets == 0
