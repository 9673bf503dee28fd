"""The bus between nodes: in memory and over NATS, held to one contract."""
