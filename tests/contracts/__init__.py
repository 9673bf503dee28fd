"""What a port promises, held on each of its engines by the same tests."""
