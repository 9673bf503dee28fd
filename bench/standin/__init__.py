"""A stand-in for DynamoDB: a process that answers the product's calls from memory, for benchmarks.

It evaluates conditions, updates and key ranges for real, and answers 500 to what it does not know.
It has no limits, no streams, and bills in round figures.
"""
