"""Problems for responses of DynamoDB that cannot be decoded."""

import pytest

from greenroom.store.dynamo import RetryPolicy
from greenroom.store.dynamo.endpoint import parse_endpoint
from greenroom.store.dynamo.sender import Repeat, RequestSender
from greenroom.store.problems import OutcomeUnknown, StoreUnavailable
from tests.store.http.server import Peer, talking

UNREADABLE = {
    "no JSON": b"<html>",
    "no object": b"[]",
    "no UTF-8": b'{"message": "\xe9chec"}',
    "too deep": b'{"a":' * 100_000,
}


@pytest.mark.parametrize("body", UNREADABLE.values(), ids=UNREADABLE)
@pytest.mark.parametrize(
    ("status", "repeat", "expected"),
    [
        (200, Repeat.SAFE, OutcomeUnknown),
        (503, Repeat.SAFE, OutcomeUnknown),
        (503, Repeat.READ, StoreUnavailable),
        (400, Repeat.SAFE, StoreUnavailable),
    ],
)
async def test_an_answer_that_cannot_be_read_is_a_problem_of_the_store(
    body: bytes, status: int, repeat: Repeat, expected: type[Exception]
) -> None:
    async def handler(peer: Peer) -> None:
        while True:
            await peer.any_request()
            head = f"HTTP/1.1 {status} As told\r\ncontent-length: {len(body)}\r\n\r\n"
            await peer.write(head.encode() + body)

    async with talking(handler) as (client, _):
        endpoint = parse_endpoint(f"dynamodb+http://127.0.0.1:{client._port}?region=local")
        sender = RequestSender(endpoint, RetryPolicy(attempts=2, first_delay=0.01))
        with pytest.raises(expected, match="without a DynamoDB response"):
            await sender.send("PutItem", {}, repeat)
        await sender.close()
