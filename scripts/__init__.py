"""Scripts for the Makefile and the tests; not part of the product."""
