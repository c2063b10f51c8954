"""The Slack surface: takes questions in, calls `Clew.ask`, and writes the answers into threads.

Importing this package loads nothing; Slack's libraries (the extra `slack`) are imported by the
functions that need them.
"""
