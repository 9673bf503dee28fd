"""The bus between nodes: NATS, with a subject for each topic that a node listens for."""

from greenroom.realtime.nats.bus import NatsBus

__all__ = ["NatsBus"]
