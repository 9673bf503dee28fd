"""The socket: one multiplexed stream of typed frames, in JSON."""
