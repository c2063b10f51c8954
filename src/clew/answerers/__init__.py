"""answerers."""
