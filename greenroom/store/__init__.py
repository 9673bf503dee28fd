"""The item store: a small typed subset of DynamoDB's operations on two engines."""
