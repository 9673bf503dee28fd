"""What the Makefile and the tests call; nothing here is part of the product."""
