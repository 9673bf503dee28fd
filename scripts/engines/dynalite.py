"""dynalite, an emulator of DynamoDB on Node. Only a benchmark uses it."""

from scripts.engines.process import Engine, launch
from scripts.engines.requirements import command, npm_package


def start() -> Engine:
    node = command("node", debian="nodejs")
    program = npm_package("dynalite") / "cli.js"
    return launch(
        "dynalite",
        lambda port: (
            node,
            str(program),
            "--host=127.0.0.1",
            f"--port={port}",
            "--createTableMs=0",
            "--deleteTableMs=0",
        ),
        url="dynamodb+http://127.0.0.1:{port}?region=local",
    )
