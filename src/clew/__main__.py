"""`python -m clew` is the command line."""

from __future__ import annotations

from clew.surfaces.cli.main import main

main()
