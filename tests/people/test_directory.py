"""Finding people: by id, by username, by the beginning of a name, and what that costs."""

import pytest

from greenroom.ids import UserId
from greenroom.people import People, directory
from greenroom.people.join import join
from greenroom.people.models import split_words
from greenroom.store.problems import InvalidCursor


async def usernames(people: People, beginning: str) -> list[str]:
    return [person.username for person in (await directory.by_name(people, beginning)).people]


@pytest.fixture
async def crowd(people: People) -> People:
    await join(people, "maya", first_name="Maya", last_name="Lindqvist")
    await join(people, "mateo", first_name="Mateo", last_name="Ruiz")
    await join(people, "studio.nord", first_name="Studio", last_name="Nord")
    await join(people, "zoe", first_name="Zoë", last_name="O'Neil")
    await join(people, "xiaoming", first_name="小明", last_name="王")
    return people


@pytest.mark.parametrize("user", ["usr_nobody", "", "x" * 5000, "USER#1"])
async def test_an_unknown_id_finds_nobody(crowd: People, user: str) -> None:
    with pytest.raises(directory.PersonNotFound):
        await directory.by_id(crowd, UserId(user))


async def test_a_username_is_found_in_any_case(crowd: People) -> None:
    found = await directory.by_username(crowd, " Studio.Nord ")
    assert found is not None
    assert found.name == "Studio Nord"


@pytest.mark.parametrize("username", ["", "nobody", "studio", "x" * 5000])
async def test_a_part_of_a_username_finds_nobody(crowd: People, username: str) -> None:
    assert await directory.by_username(crowd, username) is None


@pytest.mark.parametrize(
    ("beginning", "found"),
    [
        ("ma", ["mateo", "maya"]),
        ("MAY", ["maya"]),
        ("lind", ["maya"]),
        ("nord", ["studio.nord"]),
        ("studio.n", ["studio.nord"]),
        ("zoe", ["zoe"]),
        ("Zoë", ["zoe"]),
        ("o", ["zoe"]),
        ("小", []),
        ("小明", ["xiaoming"]),
        ("王", ["xiaoming"]),
        ("maya li", ["maya"]),
        ("li maya", ["maya"]),
        ("maya ru", []),
        ("m", []),
        ("", []),
        ("#", []),
        ("nobody", []),
    ],
)
async def test_people_are_found_by_the_beginning_of_a_word(
    crowd: People, beginning: str, found: list[str]
) -> None:
    assert await usernames(crowd, beginning) == found


async def test_a_search_is_paged_and_its_cursor_fits_no_other_search(people: People) -> None:
    for n in range(5):
        await join(people, f"sam{n}")
    first = await directory.by_name(people, "sam", limit=3)
    assert [person.username for person in first.people] == ["sam0", "sam1", "sam2"]
    rest = await directory.by_name(people, "sam", limit=3, cursor=first.next)
    assert [person.username for person in rest.people] == ["sam3", "sam4"]
    assert rest.next is None
    with pytest.raises(InvalidCursor):
        await directory.by_name(people, "sab", limit=3, cursor=first.next)


async def test_each_lookup_costs_half_a_read_unit(crowd: People) -> None:
    maya = await directory.by_username(crowd, "maya")
    assert maya is not None
    with crowd.store.counting() as cost:
        await directory.by_id(crowd, maya.id)
        await directory.by_username(crowd, "maya")
        await directory.by_name(crowd, "ma")
    assert cost.read_units == 1.5


def test_search_words_have_no_case_and_no_accents() -> None:
    assert split_words("  Zoë  O'Neil-Straße. ") == ("zoe", "o", "neil", "strasse")
