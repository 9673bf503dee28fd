"""`GET /v1/sync` gives the caller's files, in a cursor that it shares with the other sources."""

from tests.api.world import ApiWorld, ok_json

_COUNT = 50


async def test_sync_gives_each_of_many_new_files_once(world: ApiWorld) -> None:
    cursor = (await world.get("ana", "/sync"))["cursor"]
    for number in range(_COUNT):
        file = {"name": f"{number}.png", "size": 5, "sha256": "ab" * 32}
        ok_json(await world.ask("ana", "POST", "/files", file), 201)
    given, more = 0, True
    while more:
        page = await world.get("ana", f"/sync?cursor={cursor}")
        given += len(page["files"]["changed"])
        cursor, more = page["cursor"], page["more"]
    assert given == _COUNT
    again = await world.get("ana", f"/sync?cursor={cursor}")
    assert ("files" in again, again["more"]) == (False, False)
