"""The benchmarks run to their end and print their figures; `make bench-*` measures."""
