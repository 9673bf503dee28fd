"""`python -m scripts.vision`: build the model that rates pictures."""

import sys

from scripts.engines.requirements import Unavailable
from scripts.vision.build import build


def main() -> int:
    try:
        print(build())
    except Unavailable as problem:
        print(f"Pictures cannot be rated: {problem}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
