"""The item store: DynamoDB's vocabulary, made typed and small, on two engines."""
