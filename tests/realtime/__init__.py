"""Tests of the bus, in memory and over NATS, and of the hub."""
