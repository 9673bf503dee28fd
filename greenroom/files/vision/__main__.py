"""`python -m greenroom.files.vision PARENT MODEL`: the rater process."""

import sys

from greenroom.files.vision.process import main

if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
