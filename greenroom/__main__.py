"""`python -m greenroom` is `greenroom`."""

import sys

from greenroom.cli import main

if __name__ == "__main__":
    sys.exit(main())
