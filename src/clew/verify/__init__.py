"""The checks that every answer passes: what it cites, names and quotes must be there."""
