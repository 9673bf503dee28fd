"""The benchmarks run to their end and print what the docs say; how fast is for `make bench-*`."""
