"""Contracts of booked legs: issued, replaced, voided and signed in the booking's transactions.

    leg is booked ──> version 1 ──┬─ all have signed ──> signed ──> PDF drawn, its SHA-256 recorded
                                  ├─ terms change ─────> superseded, and version 2 is issued
                                  └─ leg is cancelled ─> void

Each write locks the booking's group first, so a signature and a change of terms never cross.
"""
