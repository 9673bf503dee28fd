"""REST, shapes and socket events of safety."""
