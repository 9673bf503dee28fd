"""`python -m scripts.engines dynamodb`: run one engine in the foreground until Ctrl-C."""

import signal
import sys

from scripts.engines import ENGINES, Unavailable, running


def main() -> int:
    names = sys.argv[1:]
    if len(names) != 1 or names[0] not in ENGINES:
        print(f"usage: python -m scripts.engines {{{','.join(ENGINES)}}}", file=sys.stderr)
        return 2
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with running(names[0]) as engine:
            print(engine.url, flush=True)
            engine.wait()
    except Unavailable as problem:
        print(problem, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        pass
    return 0


if __name__ == "__main__":
    sys.exit(main())
