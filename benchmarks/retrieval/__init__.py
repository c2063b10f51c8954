"""Retrieval by public questions over pinned repositories, ours and that of peers.

`python -m benchmarks.retrieval --help` measures; `python -m benchmarks.retrieval.questions build`
makes the file of questions, which belong to others and are not part of this repository.
"""
