"""What an answerer may do: read-only, inside one scope, at pinned revisions."""
