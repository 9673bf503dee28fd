"""`python -m greenroom.files.decoder PARENT`: the decoder process."""

import sys

from greenroom.files.decoder.server import main

if __name__ == "__main__":
    main(int(sys.argv[1]))
