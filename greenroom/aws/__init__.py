"""What requests to DynamoDB and to S3 have in common: credentials, signatures, retries."""
