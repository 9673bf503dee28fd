"""Tests of the safety context: blocks, limits, verdicts, reports, moderation."""
