"""The safety context: blocks, limits, verdicts, reports, and what moderators do with them."""
