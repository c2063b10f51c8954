"""Retrieval by public questions over pinned repositories: `python -m benchmarks.retrieval --help`.

The questions belong to others and are not part of this repository.
"""
