"""Tests with a FUSE file system that loses everything not synced when its power is cut."""
