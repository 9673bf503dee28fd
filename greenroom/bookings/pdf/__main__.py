"""`python -m greenroom.bookings.pdf PARENT`: draws one document, from a job on its input."""

import sys

from greenroom.bookings.pdf.child import main

if __name__ == "__main__":
    main(int(sys.argv[1]))
