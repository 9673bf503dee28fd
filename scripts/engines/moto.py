"""moto's server, an emulator of AWS in Python. Only a benchmark uses it."""

import sys

from scripts.engines.process import Engine, launch


def start() -> Engine:
    return launch(
        "moto",
        lambda port: (sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)),
        url="dynamodb+http://127.0.0.1:{port}?region=us-east-1",
    )
