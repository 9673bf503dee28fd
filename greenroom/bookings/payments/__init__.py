"""Payments: the interface to a payment provider, and a sandbox that behaves like one."""
