"""Fits the weights of search's signals: `python -m training.ranking dump`, then `fit`.

What it learns from are questions with known answers, in the form of `benchmarks/retrieval`. It
prints what it finds; people round it, give each weight its reason and write it into
`clew/search/weights.py`.
"""
