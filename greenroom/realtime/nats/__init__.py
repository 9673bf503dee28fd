"""The bus between nodes, over NATS: one subject per topic."""

from greenroom.realtime.nats.bus import NatsBus

__all__ = ["NatsBus"]
