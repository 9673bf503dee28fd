"""`GET /metrics`: what is counted, and the names in the reference."""

import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from httpx import AsyncClient
from prometheus_client.parser import text_string_to_metric_families

from greenroom.api.http import http_app
from greenroom.metrics import BOUNDS, METRICS, Histogram, Metric, Metrics, Value
from tests.api.world import ApiWorld
from tests.world import authenticator_on, http_client

REFERENCE = Path(__file__).parents[2] / "docs/reference/metrics.md"


@pytest.fixture
def metrics() -> Metrics:
    return Metrics()


@pytest.fixture
async def client(sqlite_world: ApiWorld, metrics: Metrics) -> AsyncIterator[AsyncClient]:
    async def ready() -> None:
        pass

    contexts = sqlite_world.contexts
    app = http_app(contexts, authenticator_on(contexts), ready, metrics=metrics, shows_metrics=True)
    async with http_client(app, headers=sqlite_world.bearer("ana")) as client:
        yield client


async def values(client: AsyncClient) -> dict[tuple[str, ...], float]:
    answer = await client.get("/metrics")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    labels = {metric.name: metric.labels for metric in METRICS}
    return {
        (sample.name, *(sample.labels[name] for name in labels.get(sample.name, ()))): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
    }


async def test_requests_are_counted_by_route_and_status(client: AsyncClient) -> None:
    await client.get("/v1/me?name=private")
    await client.head("/v1/me")
    await client.get("/v1/threads/thr_secret")
    await client.get("/private/path")
    await client.request("BREW", "/v1/me")
    found = await values(client)
    name = "greenroom_http_requests_total"
    assert found[name, "GET", "/v1/me", "200"] == 1
    assert found[name, "HEAD", "/v1/me", "200"] == 1
    assert found[name, "GET", "/v1/threads/{threadId}", "404"] == 1
    assert found[name, "GET", "unmatched", "404"] == 1
    assert found[name, "other", "unmatched", "405"] == 1
    assert found["greenroom_http_request_seconds_count",] == 5
    assert not any("secret" in part or "private" in part for key in found for part in key)


async def test_refusals_are_counted_by_code(client: AsyncClient) -> None:
    await client.get("/v1/me", headers={"Authorization": ""})
    await client.get("/v1/threads/thr_1")
    await client.get("/nothing")
    found = await values(client)
    refused = {
        key[1:]: number for key, number in found.items() if key[0] == "greenroom_refusals_total"
    }
    assert refused == {
        ("http", "not-authenticated"): 1,
        ("http", "thread-not-found"): 1,
        ("http", "no-such-page"): 1,
    }


async def test_metrics_are_off_by_default(sqlite_world: ApiWorld) -> None:
    assert (await sqlite_world.client.get("/metrics")).status_code == 404


@pytest.mark.parametrize("path", ["/metrics/", "/metrics//", "//metrics", "/%6detrics"])
async def test_another_spelling_of_the_path_is_not_found(client: AsyncClient, path: str) -> None:
    """A proxy's rule for `/metrics` may not match it."""
    assert (await client.get("/metrics?x=1")).status_code == 200
    assert (await client.get(f"http://test{path}")).status_code == 404


async def test_a_source_is_read_when_the_metrics_are(client: AsyncClient, metrics: Metrics) -> None:
    due = [1.0]
    metrics.add(lambda: [Value("greenroom_timers_due", due[0])])
    assert (await values(client))["greenroom_timers_due",] == 1
    due[0] = 3
    assert (await values(client))["greenroom_timers_due",] == 3


def test_two_servers_count_separately() -> None:
    one, other = Metrics(), Metrics()
    one.refusals["http", "too-many"] += 1
    assert b"too-many" in one.text()
    assert b"too-many" not in other.text()


def test_a_histogram_counts_up_to_each_bound() -> None:
    histogram = Histogram()
    for seconds in (0.001, 0.0011, 60.0):
        histogram.observe(seconds)
    buckets = dict(histogram.buckets())
    assert (buckets["0.001"], buckets["0.002"], buckets["10.0"], buckets["+Inf"]) == (1, 2, 2, 3)
    assert len(buckets) == len(BOUNDS) + 1


def test_the_reference_has_every_metric() -> None:
    named = re.findall(r"^\| `(greenroom_\w+)` ", REFERENCE.read_text(), re.MULTILINE)
    assert named == [metric.name for metric in METRICS]
    exposed = re.findall(r"^# TYPE (greenroom_\w+) ", Metrics().text().decode(), re.MULTILINE)
    assert exposed == named


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_a_name_follows_the_conventions(metric: Metric) -> None:
    name, kind = metric.name, metric.kind.value
    assert re.fullmatch(r"greenroom_[a-z_]+", name)
    assert name.endswith("_total") == (kind == "counter")
    assert not name.endswith("_ms")
