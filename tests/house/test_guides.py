"""The guide's commands do what it says: they are run, in order, against a server of their own."""

import re
import subprocess
import sys
from pathlib import Path

from tests.cli.test_serving import server

ROOT = Path(__file__).parents[2]
GUIDE = ROOT / "docs/guides/messaging.md"
ADDRESS = "http://127.0.0.1:8080"


def commands() -> str:
    blocks: list[str] = re.findall(r"```sh\n(.*?)```", GUIDE.read_text(), re.DOTALL)
    assert blocks[0].strip() == "greenroom serve"
    return "".join(blocks[1:])


def test_the_commands_of_the_guide_work(tmp_path: Path) -> None:
    script = commands()
    assert script.count("ask $") > 20
    with server("serve", tmp_path) as (address, _):
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", script.replace(ADDRESS, address)],
            capture_output=True,
            text=True,
            timeout=120,
            env={
                "PATH": f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin",
                "GREENROOM_DATA": str(tmp_path),
            },
        )
    assert (done.returncode, done.stderr) == (0, ""), done.stdout[-2000:]
    assert "See you on the 14th." in done.stdout
    assert '"decision":"dismiss"' in done.stdout
