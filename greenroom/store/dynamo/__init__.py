"""The item store on DynamoDB, DynamoDB Local or ScyllaDB Alternator. docs/reference/dynamodb.md
says how to run on it, what it is allowed to do there, and what is billed."""

from greenroom.store.dynamo.engine import DynamoStore
from greenroom.store.dynamo.wire import Retry

__all__ = ["DynamoStore", "Retry"]
