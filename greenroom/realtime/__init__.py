"""How what happened reaches whoever is looking, on this node and on the others."""
