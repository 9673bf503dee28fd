"""`make soak-verdicts`: judges random texts with the prefilter and with all rules, and compares.

Runs until it is stopped, or for `--minutes`, and prints a text that is judged differently.
"""

import argparse
import itertools
import sys
import time

from greenroom.safety.judge import judge_text
from greenroom.safety.verdict import Circumstances
from tests.safety.test_cheap_checks import made_up
from tests.safety.test_prefilter import by_all_rules

_AT_ONCE = 2_000
_CIRCUMSTANCES = (
    Circumstances(first_contact=True, account_age_ms=60_000),
    Circumstances(account_age_ms=400 * 86_400_000, recent=3),
    Circumstances(booked=True, account_age_ms=400 * 86_400_000),
)


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    options.add_argument("--minutes", type=float, default=float("inf"))
    options.add_argument("--seed", type=int, default=1)
    chosen = options.parse_args()
    until, tried = time.monotonic() + 60 * chosen.minutes, 0
    for seed in itertools.count(chosen.seed):
        for text, circumstances in zip(made_up(seed, _AT_ONCE), itertools.cycle(_CIRCUMSTANCES)):
            if judge_text(text, circumstances) != by_all_rules(text, circumstances):
                print(f"seed {seed}: judged differently: {text!a}")
                return 1
        tried += _AT_ONCE
        if time.monotonic() >= until:
            break
    print(f"{tried} texts, no difference")
    return 0


if __name__ == "__main__":
    sys.exit(main())
