"""Rates pictures with an ONNX model, in a process of its own.

    node ──pixels (150,528 bytes for each picture)──> rater process
         <──labels (a line of JSON)──────────────────

The model sees pixels only: the decoder has read the file, in another process.
"""
