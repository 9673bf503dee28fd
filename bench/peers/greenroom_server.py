"""Serves Greenroom as usual, but without rate limits."""

import uvloop

from bench.unlimited import UNLIMITED
from greenroom import serve as serving, settings


def main() -> None:
    uvloop.run(
        serving.serve(
            settings.read_settings(),
            create_tables=True,
            samples=False,
            tell=lambda address: print(address, flush=True),
            rates=UNLIMITED,
        )
    )


if __name__ == "__main__":
    main()
