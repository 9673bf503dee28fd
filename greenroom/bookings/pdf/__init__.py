"""Draws contracts, action cards and receipts as PDF files.

    documents.py ──> contract.py, card.py, receipt.py ──> renderer.py ──job──> child process
    (what is said)   (what is printed, as strings)                   <──PDF──  typst, templates/

Nothing here reads a database: the caller hands over all that is printed. The same document gives
the same bytes, with the same version of typst and the same fonts.
"""
