"""The command line, one module a group of commands; `main.py` holds the entry point."""
