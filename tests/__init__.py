"""The tests, by what they hold: contracts of the ports, contexts, and the house itself."""
