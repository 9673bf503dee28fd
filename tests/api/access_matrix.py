"""Calls the routes of an access matrix as every kind of caller: a context's tests share it."""

from collections.abc import Mapping
from dataclasses import dataclass

from httpx import Response

from tests.api.populated import Body, PopulatedWorld

_CODES = {"nobody": "not-authenticated", "expired": "token-expired"}


@dataclass(frozen=True)
class AccessMatrix:
    rows: Mapping[str, Mapping[str, int]]
    """By route: the status for each caller."""
    bodies: Mapping[str, Body]

    async def wrong_statuses(self, populated: PopulatedWorld, caller: str) -> list[str]:
        """Calls the routes in order. Returns those that answer otherwise than the table says."""
        wrong = []
        for route, expected in self.rows.items():
            answer = await self.asked(populated, caller, route)
            if answer.status_code != expected[caller]:
                wrong.append(f"{route}: {answer.status_code} {answer.text[:200]}")
        return wrong

    async def check_refused_without_token(self, populated: PopulatedWorld, caller: str) -> None:
        """`caller` is one of TOKENLESS."""
        for route in self.rows:
            answer = await self.asked(populated, caller, route)
            assert answer.status_code == 401, route
            assert answer.headers["www-authenticate"].startswith("Bearer")
            code = _CODES.get(caller, "invalid-token")
            assert answer.json()["type"] == f"/problems/{code}"
            nowhere = await self.asked(populated, caller, route, missing=True)
            assert told(answer) == told(nowhere), route

    async def check_refused_if_suspended(self, populated: PopulatedWorld) -> None:
        for route in self.rows:
            answer = await self.asked(populated, "suspended", route)
            refusal = answer.status_code, answer.json()["type"]
            assert refusal == (403, "/problems/account-suspended"), route

    async def asked(
        self, populated: PopulatedWorld, caller: str, route: str, *, missing: bool = False
    ) -> Response:
        """`missing`: with ids that do not exist."""
        body = self.bodies.get(route)
        return await populated.ask(
            caller, route, None if body is None else body(populated, caller), missing=missing
        )


def told(answer: Response) -> tuple[int, bytes, list[tuple[str, str]]]:
    """All that a caller can see."""
    headers = {name: value for name, value in answer.headers.items() if name != "x-request-id"}
    return answer.status_code, answer.content, sorted(headers.items())
