"""The project panel over REST: statuses, problems, retries, and what sync tells."""

from typing import Any

from httpx import Response

from tests.api.world import ApiWorld, ok_json

_SHOT = {"action": "add", "kind": "shot", "fields": {"title": "The gate"}}


async def _booking(world: ApiWorld) -> str:
    thread = (await world.open("ana", "ben", kind="booking"))["threadId"]
    await world.accept("ben", thread)
    return str(thread)


async def _edit(
    world: ApiWorld, name: str, thread: str, client_id: str, edit: Any, tab: str = "shotlist"
) -> Response:
    body = {"clientId": client_id, "edit": edit}
    return await world.ask(name, "POST", f"/threads/{thread}/panel/{tab}/edits", body)


def _code(answer: Response) -> str:
    return str(answer.json()["type"]).removeprefix("/problems/")


async def test_an_edit_is_made_once_and_seen_by_both(sqlite_world: ApiWorld) -> None:
    world, thread = sqlite_world, await _booking(sqlite_world)
    first = await _edit(world, "ana", thread, "e1", _SHOT)
    repeat = await _edit(world, "ana", thread, "e1", _SHOT)
    assert (first.status_code, repeat.status_code) == (201, 200)
    assert first.json() == repeat.json()
    panel = await world.get("ben", f"/threads/{thread}/panel")
    tabs = {tab["tab"]: tab for tab in panel["tabs"]}
    assert list(tabs) == ["brief", "moodboard", "shotlist", "files", "docs", "expenses", "actions"]
    assert tabs["shotlist"]["objects"] == [first.json()["object"]]
    assert not tabs["docs"]["editable"]
    history = await world.get("ben", f"/threads/{thread}/panel/shotlist/history")
    assert history["changes"] == [first.json()]


async def test_clashes_and_deletions_tell_who_and_when(sqlite_world: ApiWorld) -> None:
    world, thread = sqlite_world, await _booking(sqlite_world)
    shot = ok_json(await _edit(world, "ana", thread, "e1", _SHOT), 201)["objectId"]
    change = {"action": "set", "objectId": shot, "field": "title", "base": 1}
    ok_json(await _edit(world, "ana", thread, "e2", change | {"value": "Hers"}), 201)
    clash = await _edit(world, "ben", thread, "e1", change | {"value": "His"})
    assert (clash.status_code, _code(clash)) == (412, "edit-clash")
    assert clash.json()["clash"] | {"setAt": ""} == {
        "current": "Hers",
        "yours": "His",
        "version": 2,
        "setByUserId": world.ids["ana"],
        "setAt": "",
    }
    long = change | {"value": "x" * 120, "base": 2}
    ok_json(await _edit(world, "ana", thread, "e3", long), 201)
    cut = await _edit(world, "ben", thread, "e2", change | {"value": "His"})
    assert cut.json()["clash"]["current"] == "x" * 120
    ok_json(await _edit(world, "ben", thread, "e3", {"action": "remove", "objectId": shot}), 201)
    gone = await _edit(world, "ana", thread, "e4", change | {"value": "Again", "base": 3})
    assert (gone.status_code, gone.json()["deletedByUserId"]) == (410, world.ids["ben"])


async def test_bad_edits_get_a_problem_that_says_what_to_do(sqlite_world: ApiWorld) -> None:
    world, thread = sqlite_world, await _booking(sqlite_world)
    inquiry = (await world.open("ana", "ben", message={"body": "Hello!"}))["threadId"]
    tries = (
        (thread, "budget", _SHOT, 404, "unknown-tab"),
        (thread, "docs", _SHOT, 409, "tab-not-editable"),
        (thread, "brief", _SHOT, 422, "invalid-panel-edit"),
        (thread, "shotlist", _SHOT | {"after": "shot-9"}, 404, "panel-object-not-found"),
        (thread, "shotlist", _SHOT | {"fields": {"title": 7}}, 422, "invalid-panel-edit"),
        (thread, "shotlist", _SHOT | {"fields": {"title": "x" * 121}}, 422, "invalid-text"),
        (thread, "shotlist", _SHOT | {"fields": {"count": 10**6}}, 422, "invalid-panel-edit"),
        (thread, "shotlist", _SHOT | {"fields": {"count": 2**70}}, 400, "invalid-request"),
        (thread, "shotlist", {"action": "rename"}, 400, "invalid-request"),
        (inquiry, "shotlist", _SHOT, 409, "no-panel"),
    )
    for number, (where, tab, edit, status, code) in enumerate(tries):
        answer = await _edit(world, "ana", where, f"e{number}", edit, tab)
        assert (answer.status_code, _code(answer)) == (status, code), answer.text


async def test_sync_tells_the_version_of_a_changed_tab(sqlite_world: ApiWorld) -> None:
    world, thread = sqlite_world, await _booking(sqlite_world)
    cursor = (await world.get("ben", "/sync"))["cursor"]
    world.clock.advance(seconds=90)
    assert (await world.get("ben", f"/threads/{thread}"))["panelVersions"] == {}
    ok_json(await _edit(world, "ana", thread, "e1", _SHOT), 201)
    changes = await world.get("ben", f"/sync?cursor={cursor}")
    [changed] = changes["inbox"]["threads"]
    assert (changed["thread"]["panelVersions"], changed["messages"]) == ({"shotlist": 1}, [])
