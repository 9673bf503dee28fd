"""REST, shapes and socket events of people."""
