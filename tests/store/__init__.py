"""Tests of single engines, and of the parts that both engines share."""
