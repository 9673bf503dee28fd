"""Renaming: claims and search words follow the names, and nothing else changes."""

import asyncio

import pytest

from greenroom.ids import UserId
from greenroom.people import People, directory, records
from greenroom.people.actor import Actor, Scope
from greenroom.people.directory import PersonNotFound
from greenroom.people.join import AccountExists, UsernameReserved, UsernameTaken, join, sign_up
from greenroom.people.models import Account, InvalidName, InvalidUsername
from greenroom.people.rename import NewNames, ProfileChanged, rename
from greenroom.store.base import Update
from greenroom.store.expressions import F, Prefix


async def words(people: People, user: UserId) -> list[str]:
    page = await people.store.query(
        records.USER_POSTS, f"USER#{user}", Prefix("NAME#"), limit=50, consistent=True
    )
    return [str(item["sk"]).removeprefix("NAME#") for item in page.items]


async def test_a_new_username_is_found_and_the_old_one_is_free(people: People) -> None:
    maya = await join(people, "maya", first_name="Maya")
    after = await rename(people, Actor(maya.id), NewNames(username="Maya.L"))
    assert (after.username, after.version) == ("maya.l", 2)
    assert await directory.by_id(people, maya.id) == after
    found = await directory.by_username(people, "maya.l")
    assert found is not None
    assert found.id == maya.id
    assert await directory.by_username(people, "maya") is None
    assert (await join(people, "maya")).username == "maya"


async def test_search_words_follow_the_names(people: People) -> None:
    maya = await join(people, "maya", first_name="Maya", last_name="Lindqvist")
    names = NewNames(username="ml", display_name="Zoë Star", last_name="Berg")
    await rename(people, Actor(maya.id), names)
    assert await words(people, maya.id) == ["berg", "maya", "ml", "star", "zoe"]
    for word in ("berg", "maya", "ml", "star", "zoe"):
        [found] = (await directory.by_name(people, word)).people
        assert (found.username, found.name) == ("ml", "Zoë Star")
    assert (await directory.by_name(people, "lindqvist")).people == ()


async def test_a_taken_username_changes_nothing(people: People) -> None:
    await join(people, "mateo")
    maya = await join(people, "maya", first_name="Maya")
    with pytest.raises(UsernameTaken):
        await rename(people, Actor(maya.id), NewNames("mateo", "New", "New", "New"))
    assert await directory.by_id(people, maya.id) == maya
    assert await words(people, maya.id) == ["maya"]


async def test_the_same_username_again_is_no_conflict(people: People) -> None:
    maya = await join(people, "maya")
    after = await rename(people, Actor(maya.id), NewNames(username="maya", first_name="M"))
    assert (after.username, after.first_name) == ("maya", "M")


async def test_counters_that_change_meanwhile_are_kept(people: People) -> None:
    maya = await join(people, "maya", first_name="Maya")
    key = records.profile_key(maya.id)
    counted = (F("followerCount").add(1),)
    await people.store.write(Update(records.USER_POSTS, key, counted))
    await rename(people, Actor(maya.id), NewNames(first_name=""))
    after = await directory.by_id(people, maya.id)
    assert (after.follower_count, after.first_name, after.name) == (1, "", "maya")


async def test_simultaneous_changes_all_apply_and_an_old_version_is_refused(people: People) -> None:
    maya = await join(people, "maya")
    await asyncio.gather(
        rename(people, Actor(maya.id), NewNames(first_name="Maya")),
        rename(people, Actor(maya.id), NewNames(last_name="Berg")),
        rename(people, Actor(maya.id), NewNames(username="mb")),
    )
    after = await directory.by_id(people, maya.id)
    assert (after.username, after.name, after.version) == ("mb", "Maya Berg", 4)
    with pytest.raises(ProfileChanged) as refused:
        await rename(people, Actor(maya.id), NewNames(username="late"), version=1)
    assert refused.value.version == 4


async def test_many_simultaneous_changes_all_apply(people: People) -> None:
    maya = await join(people, "maya")
    names = [f"Maya {number}" for number in range(12)]
    changed = await asyncio.gather(
        *(rename(people, Actor(maya.id), NewNames(display_name=name)) for name in names)
    )
    assert sorted(account.display_name for account in changed) == sorted(names)
    assert sorted(account.version for account in changed) == list(range(2, 14))


async def test_the_same_new_username_twice_at_once_is_no_conflict(people: People) -> None:
    maya = await join(people, "maya")
    changed = await asyncio.gather(
        *(rename(people, Actor(maya.id), NewNames(username="maya.l")) for _ in range(4))
    )
    assert {(account.username, account.version) for account in changed} == {("maya.l", 2)}


@pytest.mark.parametrize(
    "names",
    [NewNames(), NewNames(username="maya"), NewNames("maya", "", "Maya", "Lindqvist")],
)
async def test_an_empty_change_writes_nothing(people: People, names: NewNames) -> None:
    maya = await join(people, "maya", first_name="Maya", last_name="Lindqvist")
    with people.store.counting() as cost:
        assert await rename(people, Actor(maya.id), names) == maya
    assert cost.write_units == 0
    with pytest.raises(ProfileChanged):
        await rename(people, Actor(maya.id), names, version=7)


async def test_every_lookup_returns_the_latest_names_and_version(people: People) -> None:
    maya = await join(people, "maya", first_name="Maya")
    after = await rename(people, Actor(maya.id), NewNames(last_name="Berg"))
    by_username = await directory.by_username(people, "maya")
    found = [
        *await directory.by_ids(people, [maya.id]),
        *([] if by_username is None else [by_username]),
        *(await directory.by_name(people, "maya")).people,
        *(await directory.by_name(people, "berg")).people,
    ]
    assert [(one.last_name, one.version) for one in found] == [("Berg", after.version)] * 4


async def test_of_two_simultaneous_renames_to_one_username_one_wins(people: People) -> None:
    both = [await join(people, name) for name in ("maya", "mateo")]
    answers = await asyncio.gather(
        *(rename(people, Actor(one.id), NewNames(username="star")) for one in both),
        return_exceptions=True,
    )
    assert sum(isinstance(answer, Account) for answer in answers) == 1
    assert sum(isinstance(answer, UsernameTaken) for answer in answers) == 1


async def test_invalid_names_are_refused(people: People) -> None:
    maya = await join(people, "maya")
    with pytest.raises(InvalidUsername):
        await rename(people, Actor(maya.id), NewNames(username="9"))
    with pytest.raises(InvalidName, match="display name"):
        await rename(people, Actor(maya.id), NewNames(display_name="a\nb"))
    with pytest.raises(PersonNotFound):
        await rename(people, Actor(UserId("usr_nobody")), NewNames(username="x1"))


async def test_an_id_has_one_account_and_signing_up_is_idempotent(
    people: People,
) -> None:
    sub = UserId("8f14e45f-ceea-467f-9b62-3d6c1a7d2b11")
    first = await sign_up(people, Actor(sub), "maya", display_name="Maya")
    again = await sign_up(people, Actor(sub), "MAYA", display_name="Other")
    assert (first.is_new, again.is_new) == (True, False)
    assert first.account == again.account
    with pytest.raises(AccountExists):
        await sign_up(people, Actor(sub), "mateo")
    with pytest.raises(UsernameTaken):
        await sign_up(people, Actor(UserId("another-sub")), "maya")
    assert await directory.by_username(people, "mateo") is None


@pytest.mark.parametrize("username", ["admin", "Support", "mod.era_tor", "greenroom"])
async def test_only_staff_and_services_take_reserved_usernames(
    people: People, username: str
) -> None:
    newcomer = Actor(UserId("a-sub"))
    with pytest.raises(UsernameReserved):
        await sign_up(people, newcomer, username)
    await sign_up(people, newcomer, "maya")
    with pytest.raises(UsernameReserved):
        await rename(people, newcomer, NewNames(username=username))
    for number, scope in enumerate((Scope.MODERATOR, Scope.ADMIN)):
        staff = Actor(UserId(f"staff-{number}"), frozenset({Scope.USER, scope}))
        joined = await sign_up(people, staff, username)
        assert joined.account.username == username.lower()
        await rename(people, staff, NewNames(username=f"free{number}"))


async def test_a_user_keeps_a_reserved_name_they_already_have(people: People) -> None:
    made = await join(people, "support")
    after = await rename(people, Actor(made.id), NewNames(username="support", first_name="Sue"))
    assert after.first_name == "Sue"
