"""The process that draws one document: reads a job, takes its limits, writes the answer and ends.

The texts come from users. So it draws apart from the server: without a network, with no files but
the templates and fonts, and with limits on memory and time.
"""

import os
import resource
import sys
from pathlib import Path

from greenroom.bookings.pdf.job import (
    MOST_JOB_BYTES,
    MOST_PDF_BYTES,
    Answer,
    Broken,
    Drawn,
    Job,
    decode_job,
    encode,
)
from greenroom.bookings.pdf.typeset import TEMPLATES, NotDrawn, typeset
from greenroom.files.decoder import isolation, landlock


def main(parent: int) -> None:
    isolation.end_with_parent(parent)
    isolation.leave_network()
    job = decode_job(sys.stdin.buffer.read(MOST_JOB_BYTES + 1))
    take_limits(job)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # a panic of typst is part of the answer
    sys.stdout.buffer.write(encode(_answer(job)))


def take_limits(job: Job) -> None:
    isolation.limit(
        memory_bytes=job.memory_bytes,
        cpu_seconds=job.cpu_seconds,
        file_bytes=0,
    )
    fonts = [Path(folder) for folder in job.fonts]
    isolation.drop_privileges(readable=fonts)
    landlock.restrict((TEMPLATES, *fonts), ())  # all modules are loaded


def _answer(job: Job) -> Answer:
    try:
        pdf, missing = typeset(job.template, job.page, job.issued_ms, job.fonts)
    except NotDrawn as error:
        return Broken(str(error))
    except BaseException as error:  # also a panic of typst
        return Broken(repr(error)[:1000])
    if len(pdf) > MOST_PDF_BYTES:
        return Broken("the file is too large")
    used = resource.getrusage(resource.RUSAGE_SELF)
    return Drawn(pdf, tuple(sorted(missing)), used.ru_maxrss * 1024, used.ru_utime + used.ru_stime)
