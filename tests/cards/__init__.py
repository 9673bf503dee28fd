"""Cards in a conversation: what is decided in SQL and relayed to the item store."""
