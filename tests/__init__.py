"""The tests: contracts of the ports, the contexts, scenarios, and the repository itself."""
