"""The item store on DynamoDB, DynamoDB Local or ScyllaDB Alternator.

docs/reference/dynamodb.md describes its setup, permissions and costs.
"""

from greenroom.store.dynamo.engine import DynamoStore
from greenroom.store.dynamo.sender import RetryPolicy

__all__ = ["DynamoStore", "RetryPolicy"]
