"""HTML pages: the landing page, the API reference and the problem pages."""

import re
import time

import pytest
import yaml  # type: ignore[import-untyped]
from httpx import AsyncClient

from greenroom.api.pages.landing import landing
from greenroom.app import REGISTRY
from greenroom.demo import SAMPLE_PEOPLE, join_sample_people
from greenroom.ids import UserId
from greenroom.people import People
from greenroom.people.models import Person

Client = AsyncClient
_RENDERED_S = 0.02
"""A tenth of the time to render one of the documents."""


async def test_the_landing_page_lists_the_sample_people_and_its_links_work(
    client: Client,
) -> None:
    page = await client.get("/")
    assert page.headers["content-type"].startswith("text/html")
    for sample in SAMPLE_PEOPLE:
        assert (f"@{sample.username}" in page.text) == bool(sample.sees)
    links = re.findall(r"href='([^']+)'", page.text)
    assert len(links) >= 4
    for link in links:
        assert (await client.get(link)).status_code == 200, link


async def test_pages_load_nothing_from_other_sites(client: Client) -> None:
    for path in ("/", "/schema/docs", "/problems/invalid-text"):
        page = await client.get(path)
        assert page.status_code == 200
        assert "://" not in page.text
        assert "<script" not in page.text
        assert "default-src 'none'" in page.headers["content-security-policy"]
    assert "://" not in (await client.get("/page.css")).text


async def test_names_are_escaped_in_pages() -> None:
    mallory = Person(id=UserId("usr_1"), username="m", first_name="<script>alert(1)</script>")
    assert "<script" not in landing([(mallory, "'><b>")])


async def test_the_schema_is_openapi_3_1_and_names_every_route(client: Client) -> None:
    schema = (await client.get("/schema")).json()
    assert schema["openapi"].startswith("3.1")
    assert {"/healthz", "/readyz", "/v1/me", "/v1/people/{userId}"} <= set(schema["paths"])
    assert (await client.get("/schema/openapi.json")).json() == schema
    assert (await client.get("/schema/openapi.yaml")).text.startswith("components:")


async def test_the_document_is_the_same_as_yaml(client: Client) -> None:
    schema = (await client.get("/schema")).json()
    found = await client.get("/schema/openapi.yaml")
    assert yaml.load(found.content, Loader=yaml.CSafeLoader) == schema


@pytest.mark.parametrize("accept", ["text/html", "application/json", "*/*"])
@pytest.mark.parametrize("name", ["nope", "nope.json", "openapi", "a/b", "docs/more"])
async def test_an_unknown_path_under_schema_is_not_found(
    client: Client, name: str, accept: str
) -> None:
    headers = {"Accept": accept}
    found = await client.get(f"/schema/{name}", headers=headers)
    elsewhere = await client.get("/nope", headers=headers)
    assert (found.status_code, found.content) == (404, elsewhere.content)
    assert found.headers["content-type"] == elsewhere.headers["content-type"]
    assert (await client.head(f"/schema/{name}")).status_code == 404


async def test_the_documents_are_rendered_once(client: Client) -> None:
    client.event_hooks = {}  # checking a response against its schema takes time
    for path in ("/schema", "/schema/openapi.yaml", "/schema/asyncapi.json"):
        first = (await client.get(path)).content
        began = time.process_time()
        for _ in range(20):
            assert (await client.get(path)).content == first
        assert time.process_time() - began < 20 * _RENDERED_S, path


async def test_every_problem_has_a_page_without_templates(client: Client) -> None:
    problems = [
        kind for kind, answer in REGISTRY.problems.responses.items() if answer.status != 500
    ]
    assert len(problems) > 40
    for kind in problems:
        page = await client.get(f"/problems/{kind.code}")
        assert page.status_code == 200, kind
        assert "{" not in page.text, kind
    assert (await client.get("/problems/no-such-problem")).status_code == 404


async def test_every_operation_is_described_and_its_refusals_are_problems(client: Client) -> None:
    schema = (await client.get("/schema")).json()
    operations = [op for path in schema["paths"].values() for op in path.values()]
    assert operations
    for operation in operations:
        assert operation["summary"]
        for status, answer in operation["responses"].items():
            if not status.startswith("2"):
                assert list(answer["content"]) == ["application/problem+json"]


async def test_sample_people_are_created_once(client: Client, people: People) -> None:
    first = await join_sample_people(people)
    assert [one.person.id for one in await join_sample_people(people)] == [
        one.person.id for one in first
    ]
