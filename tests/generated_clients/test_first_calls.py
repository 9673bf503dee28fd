"""A generated client can sign up, open a conversation and send a message."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.web.demo_server import DemoServer

_WEB = Path(__file__).parents[2] / "web"

_PYTHON = """
import sys
from generated import AuthenticatedClient
from generated.api.inbox import get_inbox
from generated.api.messages import send_message
from generated.api.people import get_me
from generated.api.threads import open_direct_thread
from generated.models import NewMessage

address, token, other = sys.argv[1:]
client = AuthenticatedClient(base_url=address, token=token, raise_on_unexpected_status=True)
me = get_me.sync(client=client)
thread = open_direct_thread.sync(other, client=client)
body = NewMessage(body="2*3*4 is 24", client_message_id="python-1")
sent = send_message.sync(thread.thread_id, client=client, body=body)
inbox = get_inbox.sync(client=client)
print(me.username, sent.status, sent.message.body, len(inbox.threads) > 0)
"""

_TYPESCRIPT = """
import createClient from "openapi-fetch";
import type { paths } from "./schema.js";

const [address, token, other] = process.argv.slice(2) as [string, string, string];
const client = createClient<paths>({
  baseUrl: address,
  headers: { Authorization: `Bearer ${token}` },
});
const me = await client.GET("/v1/me");
const thread = await client.PUT("/v1/direct/{userId}", { params: { path: { userId: other } } });
if (!me.data || !thread.data) throw new Error(JSON.stringify([me.error, thread.error]));
const sent = await client.POST("/v1/threads/{threadId}/messages", {
  params: { path: { threadId: thread.data.threadId } },
  body: { body: "2*3*4 is 24", clientMessageId: "typescript-1" },
});
const inbox = await client.GET("/v1/inbox");
const found = (inbox.data?.threads.length ?? 0) > 0;
console.log(me.data.username, sent.data?.status, sent.data?.message?.body, found);
"""


@pytest.fixture
def house(tmp_path: Path) -> Iterator[DemoServer]:
    running = DemoServer(tmp_path / "data").start()
    yield running
    running.stop()


def _sample(house: DemoServer, username: str) -> tuple[str, str]:
    signed_in = httpx.post(f"{house.url}/demo/sign-in", json={"username": username}).json()
    return signed_in["token"], signed_in["userId"]


def _run(*command: str, cwd: Path) -> str:
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    # The generator formats with ruff, which is installed beside it.
    path = f"{Path(sys.executable).parent}{os.pathsep}{kept.get('PATH', '')}"
    done = subprocess.run(
        command, cwd=cwd, env=kept | {"PATH": path}, capture_output=True, text=True, timeout=200
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_openapi_python_client_makes_a_client_that_works(house: DemoServer, tmp_path: Path) -> None:
    document = httpx.get(f"{house.url}/schema/openapi.json").text
    (tmp_path / "openapi.json").write_text(document)
    # It knows files by one type only.
    config = {"content_type_overrides": {"application/pdf": "application/octet-stream"}}
    (tmp_path / "config.json").write_text(json.dumps(config))
    told = _run(
        *("openapi-python-client", "generate", "--path", "openapi.json"),
        *("--config", "config.json", "--meta", "none"),
        *("--output-path", "generated", "--fail-on-warning"),
        cwd=tmp_path,
    )
    assert "Warning" not in told
    (tmp_path / "first.py").write_text(_PYTHON)
    (token, _), (_, jonas) = _sample(house, "maya"), _sample(house, "jonas")
    said = _run(sys.executable, "first.py", house.url, token, jonas, cwd=tmp_path)
    assert said.lower() == "maya sent 2*3*4 is 24 true\n"


def test_openapi_typescript_makes_a_client_that_works(house: DemoServer, tmp_path: Path) -> None:
    node, tools = shutil.which("node"), _WEB / "node_modules" / ".bin"
    if node is None or not tools.is_dir():
        reason = "web/node_modules is not installed (`make web` does, with Node 20 or newer)"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    document = httpx.get(f"{house.url}/schema/openapi.json").text
    (tmp_path / "openapi.json").write_text(document)
    (tmp_path / "first.ts").write_text(_TYPESCRIPT)
    (tmp_path / "package.json").write_text('{"type": "module"}')
    (tmp_path / "node_modules").symlink_to(_WEB / "node_modules")
    options = {"strict": True, "module": "nodenext", "target": "es2022", "types": ["node"]}
    config = {"compilerOptions": options, "files": ["first.ts"]}
    (tmp_path / "tsconfig.json").write_text(json.dumps(config))
    _run(str(tools / "openapi-typescript"), "openapi.json", "-o", "schema.d.ts", cwd=tmp_path)
    _run(str(tools / "tsc"), "-p", ".", cwd=tmp_path)
    (token, _), (_, jonas) = _sample(house, "maya"), _sample(house, "jonas")
    said = _run(node, "first.js", house.url, token, jonas, cwd=tmp_path)
    assert said.lower() == "maya sent 2*3*4 is 24 true\n"
