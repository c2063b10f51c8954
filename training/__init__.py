"""Makes the small embedding model that Clew ships: from public repositories to one numpy file.

Run as `python -m training` from the repository's root; see `training/README.md`. Nothing in Clew
imports it, and its requirements (torch) are none of Clew's. The code that it learns from stays in
its cache folder: only weights and the list of repositories enter the project.
"""
