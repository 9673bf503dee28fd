"""Fuzzes every operation: each response matches the OpenAPI document, without a 5xx or an
undocumented status, type, header or body.

Each operation gets valid and invalid input, as a member who is also a moderator, once with made-up
ids and once with existing ones.
"""

import asyncio
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

import pytest
import schemathesis
import uvicorn
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import APIOperation, Case, GenerationMode
from schemathesis.checks import (
    content_type_conformance,
    not_a_server_error,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from schemathesis.core.result import Ok

from greenroom.safety.limits import Rate
from tests.api.populated import PopulatedWorld, populate
from tests.api.world import api_world_on
from tests.stores import SQLITE
from tests.world import LIMITS

Operation: TypeAlias = APIOperation[Any, Any, Any, Any]
EXAMPLES = 12
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
UNLIMITED = {
    limit: Rate(most=10**9, window_ms=1000, local_share=10**8, lease_size=1, lease_ms=1)
    for limit in LIMITS
}


class Served:
    """The app with people and data, served in its own thread."""

    def __init__(self, folder: Path) -> None:
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        self.populated: PopulatedWorld | None = None
        self.document: dict[str, Any] = {}
        self._ready = threading.Event()
        self._folder = folder
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True)

    async def _serve(self) -> None:
        async with api_world_on(f"{SQLITE}{self._folder}/world.db", UNLIMITED) as world:
            self.populated = await populate(world)
            self.document = (await world.client.get("/schema/openapi.json")).json()
            config = uvicorn.Config(
                world.app, log_config=None, lifespan="off", http="h11", ws="none"
            )
            self.server = uvicorn.Server(config)
            self._ready.set()
            await self.server.serve([self.listener])

    def start(self) -> None:
        self._thread.start()
        assert self._ready.wait(120)

    def stop(self) -> None:
        self.server.should_exit = True
        self._thread.join(120)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    served = Served(tmp_path_factory.mktemp("served"))
    served.start()
    yield served
    served.stop()


@pytest.mark.timeout(1200)
@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE])
def test_every_response_matches_the_schema(served: Served, mode: GenerationMode) -> None:
    schema = schemathesis.openapi.from_dict(served.document)
    schema.config.update(base_url=served.address)
    found = [result.ok() for result in schema.get_all_operations() if isinstance(result, Ok)]
    assert len(found) > 45
    # Deleting operations come last.
    for operation in sorted(found, key=lambda operation: operation.method == "delete"):
        if _has_something_to_send(operation) or mode is GenerationMode.POSITIVE:
            _check_responses(served, operation, mode)


def _has_something_to_send(operation: Operation) -> bool:
    return bool(list(operation.iter_parameters()))


def _check_responses(served: Served, operation: Operation, mode: GenerationMode) -> None:
    assert served.populated is not None
    ids = _real_ids(served.populated, operation.path)
    headers = served.populated.world.bearer("adi")

    @given(case=operation.as_strategy(generation_mode=mode))
    @settings(
        max_examples=EXAMPLES,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    def holds(case: Case[Any]) -> None:
        case.call_and_validate(headers=headers, checks=CHECKS)
        case.path_parameters = {**case.path_parameters, **_in_path(ids, operation.path)}
        case.body = _in_body(ids, case.body)
        case.call_and_validate(headers=headers, checks=CHECKS)

    holds()


def _in_path(ids: dict[str, str], path: str) -> dict[str, str]:
    return {name: value for name, value in ids.items() if f"{{{name}}}" in path}


def _in_body(ids: dict[str, str], body: Any) -> Any:
    if isinstance(body, list):
        return [_in_body(ids, one) for one in body]
    if isinstance(body, dict):
        known = {name: ids[name] for name in body if name in ids and isinstance(body[name], str)}
        return {name: _in_body(ids, value) for name, value in body.items()} | known
    return body


def _real_ids(populated: PopulatedWorld, path: str) -> dict[str, str]:
    return {
        "threadId": populated.threads["talk"],
        "messageId": populated.messages["talk"],
        "requestId": populated.request_for(path),
        "caseId": populated.case,
        "userId": populated.world.ids["zoe"],
        "emoji": "👍",
        "tab": "shotlist",
        "cardId": populated.card,
        "legId": populated.leg,
        "documentId": populated.document,
    }
