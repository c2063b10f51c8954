"""The index: one file per source that `build` brings to a revision and `view` reads it at.

It keeps each blob's redacted text once, the chunks with their postings, symbols and references.
It never ranks, and never reads a source except through the snapshot it is given.
"""
