"""The payment provider: its interface, and a sandbox."""
