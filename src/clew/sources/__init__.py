"""What Clew reads: git repositories and folders, each pinned at one exact revision."""
