"""The item store on DynamoDB, DynamoDB Local or ScyllaDB Alternator.

docs/reference/dynamodb.md describes its setup, permissions and costs.
"""

from greenroom.aws.retries import RetryPolicy
from greenroom.store.dynamo.engine import DynamoStore

__all__ = ["DynamoStore", "RetryPolicy"]
